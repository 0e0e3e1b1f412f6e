/**
 * Dollars that are in both domains. A node's bill and the allocations on it are the same dollars: if
 * Kubernetes rows of a resource cost K and its bill items C, M = min(K, C) appears twice, spread
 * evenly over the rows and over the items. It counts once, as Kubernetes cost if any of its rows is
 * selected, else as cloud cost:
 *
 *   selected rows cost k of K, items c of C:   x = k / K, y = c / C
 *     Kubernetes   k
 *     cloud        c · (1 − M / C) + M · max(0, y − x)
 *   outside of the selection
 *     Kubernetes   (K − k) − M · max(0, y − x)
 *     cloud        (C − c) · (1 − M / C)
 *
 * Inside and outside add up to K + C − M for any selection, and none is below 0 if no cost is.
 */
import { byResource, type DayEntries, type Entry } from './entries.ts';

/** Entries of both domains. */
export interface Domains {
  readonly kubernetes: DayEntries;
  readonly cloud: DayEntries;
}

interface Match {
  readonly kubernetesUsd: number;
  readonly cloudUsd: number;
  readonly bothUsd: number;
}

/** A smaller difference of equal sums is rounding. */
const ROUNDING = 1e-12;

export class Matches {
  readonly #matches: Map<string, Match> = new Map();

  /** @param estate all rows and bill items */
  constructor({ kubernetes, cloud }: Domains) {
    const rows = byResource(kubernetes.entries);
    for (const [resource, cloudUsd] of byResource(cloud.entries)) {
      const kubernetesUsd = rows.get(resource) ?? 0;
      const bothUsd = Math.min(kubernetesUsd, cloudUsd);
      if (bothUsd > 0) this.#matches.set(resource, { kubernetesUsd, cloudUsd, bothUsd });
    }
  }

  /** Bill items less all that counts as Kubernetes cost. */
  cloudAlone({ entries }: DayEntries): Entry[] {
    return entries.map((entry) => {
      const match = this.#matches.get(entry.resource);
      return match ? without(entry, match.bothUsd / match.cloudUsd) : entry;
    });
  }

  /** Costs of selected bill items that are also costs of unselected Kubernetes rows, USD by resource. */
  cloudOfRows({ kubernetes, cloud }: Domains): Map<string, number> {
    const rows = byResource(kubernetes.entries);
    const found = new Map<string, number>();
    for (const [resource, usd] of byResource(cloud.entries)) {
      const match = this.#matches.get(resource);
      if (match === undefined) continue;
      const rowsPart = part(rows.get(resource) ?? 0, match.kubernetesUsd);
      const beyond = part(usd, match.cloudUsd) - rowsPart;
      if (beyond > ROUNDING) found.set(resource, match.bothUsd * beyond);
    }
    return found;
  }

  /** Kubernetes rows outside of a selection, less the part that the selection's bill items cover. */
  rowsOutside(beside: DayEntries, selected: Domains): Entry[] {
    const taken = this.cloudOfRows(selected);
    if (taken.size === 0) return [...beside.entries];
    const rows = byResource(selected.kubernetes.entries);
    return beside.entries.map((entry) => {
      const match = this.#matches.get(entry.resource);
      const usd = taken.get(entry.resource);
      if (match === undefined || usd === undefined) return entry;
      const left = match.kubernetesUsd - (rows.get(entry.resource) ?? 0);
      return without(entry, Math.min(1, usd / left));
    });
  }
}

function part(usd: number, of: number): number {
  return Math.min(1, Math.max(0, usd / of));
}

/** @param taken the part that is taken out, in [0, 1] */
function without(entry: Entry, taken: number): Entry {
  return { ...entry, usd: 1 - taken > ROUNDING ? entry.usd * (1 - taken) : 0 };
}

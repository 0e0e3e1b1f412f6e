/**
 * Dollars that both domains tell of. A node's bill and what is allocated on it are the same dollars:
 * of a resource that Kubernetes rows cost K and bill items C, M = min(K, C) are told twice, spread
 * evenly over the rows and over the items. They count once, as Kubernetes cost where any row of them
 * is selected, else as cloud cost:
 *
 *   selected rows cost k of K, items c of C:   x = k / K, y = c / C
 *     Kubernetes   k
 *     cloud        c · (1 − M / C) + M · max(0, y − x)
 *   beside them
 *     Kubernetes   (K − k) − M · max(0, y − x)
 *     cloud        (C − c) · (1 − M / C)
 *
 * Both together are K + C − M, what there is in all, whatever is selected; none is below 0 where no
 * cost is.
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

/** What is left of equal sums is rounding, and no cost. */
const ROUNDING = 1e-12;

export class Matches {
  readonly #matches: Map<string, Match> = new Map();

  /** @param estate all there is */
  constructor({ kubernetes, cloud }: Domains) {
    const rows = byResource(kubernetes.entries);
    for (const [resource, cloudUsd] of byResource(cloud.entries)) {
      const kubernetesUsd = rows.get(resource) ?? 0;
      const bothUsd = Math.min(kubernetesUsd, cloudUsd);
      if (bothUsd > 0) this.#matches.set(resource, { kubernetesUsd, cloudUsd, bothUsd });
    }
  }

  /** Bill items without what is Kubernetes cost in all. */
  cloudAlone({ entries }: DayEntries): Entry[] {
    return entries.map((entry) => {
      const match = this.#matches.get(entry.resource);
      return match ? without(entry, match.bothUsd / match.cloudUsd) : entry;
    });
  }

  /** What selected bill items are of Kubernetes cost that is not selected, USD by resource. */
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

  /** Kubernetes rows beside a selection, without what its bill items are of them. */
  rowsBeside(beside: DayEntries, selected: Domains): Entry[] {
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

/** @param taken the part that goes, in [0, 1] */
function without(entry: Entry, taken: number): Entry {
  return { ...entry, usd: 1 - taken > ROUNDING ? entry.usd * (1 - taken) : 0 };
}

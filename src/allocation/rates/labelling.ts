/** Labels of exported series, and how many of them there may be. */
import { OWN_SERIES } from '../../metrics/catalogue.ts';
import type { Family, Sample } from '../../export/index.ts';

/** Names and values; empty values are no labels. */
export type Labels = Readonly<Record<string, string>>;

/** How many were left out, by kind; kinds of which none was are not there. */
export type LeftOut = Readonly<Record<string, number>>;

export interface Labelling {
  readonly clusterLabel: string;
  readonly clusterId: string;
  readonly bounded: Bounded;
}

/** Keeps the most costly of each kind. */
export class Bounded {
  readonly #max: number;
  readonly #leftOut: Record<string, number> = {};

  constructor(max: number) {
    this.#max = max;
  }

  get leftOut(): LeftOut {
    return this.#leftOut;
  }

  /** @param kind in the plural */
  most<Row extends { readonly cost: number }>(kind: string, rows: readonly Row[]): readonly Row[] {
    const more = rows.length - this.#max;
    if (more <= 0) return rows;
    this.#leftOut[kind] = more;
    return rows.toSorted((a, b) => b.cost - a.cost).slice(0, this.#max);
  }
}

/** Labels as the store's own series have them: where the cluster is not told there, it is not here. */
export function labelled(
  { clusterLabel, clusterId }: Labelling,
  cluster: string,
  labels: Labels,
): Labels {
  const own = cluster === clusterId ? {} : { [clusterLabel]: cluster };
  const all = { ...labels, ...own, [OWN_SERIES.label]: OWN_SERIES.value };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

export function family(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: 'gauge', samples };
}

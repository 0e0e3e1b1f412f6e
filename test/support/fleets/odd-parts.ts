/**
 * What the scenes of odd stores are made of. Prices are round; samples come twice a minute from
 * 09:00 to 12:00, and what is asked for is the hour from 10:00.
 */
import { podSeries } from './pod-store.ts';
import type { TestSeries } from '../stores/samples-encoding.ts';

const TEN_MS: number = Date.UTC(2024, 4, 1, 10);
const MINUTE_MS = 60_000;
export const GIB: number = 2 ** 30;

export interface OddScene {
  readonly name: string;
  readonly series: readonly TestSeries[];
  /** Costs by field of every row that the answer has. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly warnings: readonly (string | RegExp)[];
  readonly isPartial?: boolean;
  /** More of the query: `&aggregate=…`. */
  readonly query?: string;
  readonly flags?: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

/** Twice a minute; minutes from 10:00, both inclusive. */
export function times(from: number = -60, to: number = 120): number[] {
  const count = 2 * (to - from) + 1;
  return Array.from({ length: count }, (_, i) => TEN_MS + from * MINUTE_MS + i * 30_000);
}

export function series(
  metric: string,
  labels: Labels,
  value = 1,
  at: number[] = times(),
): TestSeries {
  const values = at.map(() => value);
  return { labels: named({ ...labels, __name__: metric }), timestampsMs: at, values };
}

/** In order of name, as stores send them. */
function named(labels: Labels): [string, string][] {
  return Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** With other labels beside theirs. */
export function labelled(list: readonly TestSeries[], more: Labels): TestSeries[] {
  return list.map((one) => ({
    ...one,
    labels: named({ ...Object.fromEntries(one.labels), ...more }),
  }));
}

export function renamed(list: readonly TestSeries[], names: Labels): TestSeries[] {
  return list.map((one) => ({
    ...one,
    labels: one.labels.map(([name, value]): [string, string] => [names[name] ?? name, value]),
  }));
}

export function isUsage({ labels }: TestSeries): boolean {
  return labels.some(([name, value]) => name === '__name__' && value.startsWith('container_'));
}

/** Half a core and a GiB asked, a quarter of both used, on a node at $1 a core and $0.5 a GiB. */
export const A: readonly TestSeries[] = podSeries('a', times());
export const B: readonly TestSeries[] = podSeries('b', times());
export const NODE: readonly TestSeries[] = priced('node-a', times());
export const POD_A: Readonly<Record<string, number>> = { cpuCost: 0.5, ramCost: 0.5, totalCost: 1 };

export function priced(node: string, at: number[]): TestSeries[] {
  return [
    series('node_cpu_hourly_cost', { node }, 1, at),
    series('node_ram_hourly_cost', { node }, 0.5, at),
  ];
}

export const ROW_A: string = 'default-cluster/node-a/team/a/app';
export const ROW_B: string = 'default-cluster/node-a/team/b/app';
export const DOUBLED: RegExp = /told of by several exporters at once: \d+; each is charged once$/;

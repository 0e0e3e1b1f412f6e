/** Entries of stored allocations. */
import type {
  CostsAsked,
  ItemsAsked,
  SetCosts,
  StoredCosts,
  StoredItems,
  ToldCosts,
} from '../allocation/index.ts';
import {
  AGGREGATE_NAMES,
  parseAggregate,
  type AggregateKey,
  type Filter,
  type Window,
} from '../query/index.ts';
import { IDLE_NAME, sumOf, type DayEntries, type Entry } from './entries.ts';
import type { Idle } from './idle.ts';
import { byCost } from './items.ts';
import { within, type Rows } from './selection.ts';
import type { BesideAsked, Entries, KubernetesCosts, Times } from './sources.ts';

/** What allocations cost (src/allocation/stored-costs.ts). */
export type ReadCosts = (asked: CostsAsked, signal: AbortSignal) => Promise<StoredCosts>;

/** And by name (src/allocation/stored-items.ts). */
export type ReadItems = (asked: ItemsAsked, signal: AbortSignal) => Promise<StoredItems>;

export interface StoredAllocations {
  readonly costs: ReadCosts;
  readonly items: ReadItems;
}

/** Whether a bill can have something in common with the costs of those days. */
export type IsBilled = (days: readonly Window[]) => boolean;

/** What is asked of the rows that a filter means. */
interface Asked {
  readonly rows: Rows;
  readonly keys: readonly AggregateKey[];
  readonly idle: Idle;
}

export function kubernetesCosts(read: StoredAllocations, isBilled: IsBilled): KubernetesCosts {
  const entriesOf = async (times: Times, asked: Asked): Promise<Entries> => {
    const { rows, keys, idle } = asked;
    if (rows === 'nothing') return nothing(times);
    const apart = { ...costsAsked(times, rows, keys, idle), resources: isBilled(times.days) };
    const costs = heard(times, await read.costs(apart, times.signal));
    const days = costs.days.map(({ sets }) => ({ entries: sets.flatMap(entriesIn) }));
    return { days, warnings: costs.warnings };
  };
  /** Weights of the names that bear idle, by day. */
  const bearersOf = async (times: Times, asked: Asked): Promise<Map<string, number>[]> => {
    const { rows, keys, idle } = asked;
    if (rows === 'nothing') return [];
    const borne = { ...costsAsked(times, rows, keys, idle), idle: 'borne' } as const;
    const { days } = heard(times, await read.costs(borne, times.signal));
    return days.map(({ sets }) => bearersIn(sets.map(({ costs }) => costs)));
  };
  return {
    async selected(times, rows, idle) {
      const found = await entriesOf(times, { rows, keys: [], idle });
      return idle === 'hide' ? only(found, (entry) => !entry.isIdle) : found;
    },

    async beside(times, { rows, filter, aggregate }: BesideAsked, idle) {
      const keys = parseAggregate(aggregate, AGGREGATE_NAMES);
      const asked = { rows: within(rows, filter), keys, idle };
      const found = await entriesOf(times, asked);
      if (idle === 'hide') {
        const all = await entriesOf(times, { rows: filter, keys: [], idle });
        return joined(only(found, (entry) => !entry.isIdle), only(all, (entry) => entry.isIdle)); // prettier-ignore
      }
      if (keys.length === 0) return found;
      const bearers = await bearersOf(times, asked);
      return { ...found, days: found.days.map((day, i) => ({ ...day, idleBy: bearers[i] ?? new Map() })) }; // prettier-ignore
    },

    async items(times, { rows, filter, aggregate }, idle, most) {
      const keys = parseAggregate(aggregate, AGGREGATE_NAMES);
      const meant = within(rows, filter);
      const form = idle === 'hide' ? 'none' : 'borne';
      const found =
        meant === 'nothing'
          ? { items: [], count: 0 }
          : heard(times, await read.items({ ...costsAsked(times, meant, keys, idle), idle: form, most }, times.signal)); // prettier-ignore
      if (idle !== 'hide') return found;
      const all = await entriesOf(times, { rows: filter, keys: [], idle });
      const usd = sumOf(all.days.flatMap(({ entries }) => entries).filter(({ isIdle }) => isIdle));
      if (usd === 0) return found;
      const items = [...found.items, { name: IDLE_NAME, cost: usd }].sort(byCost);
      return { items, count: found.count + 1 };
    },
  };
}

/** Notes what the days are found to lack. */
function heard<Result extends Pick<StoredCosts, 'warnings' | 'isPartial'>>(
  { lacking }: Times,
  result: Result,
): Result {
  for (const warning of result.isPartial ? result.warnings : []) lacking.add(warning);
  return result;
}

function costsAsked(
  { days, nowMs }: Times,
  filter: Filter | null,
  keys: readonly AggregateKey[],
  idle: Idle,
): CostsAsked {
  const idleByNode = idle !== 'shareByCluster';
  return { days, nowMs, keys, filter, idleByNode, idle: 'apart', resources: false };
}

function nothing({ days }: Times): Entries {
  return { days: days.map(() => ({ entries: [] })), warnings: [] };
}

function entriesIn({ costs, resources }: SetCosts): Entry[] {
  const entries = costs.names.flatMap((own, row): Entry[] => {
    const isIdle = costs.isIdle[row] === 1;
    const name = isIdle ? IDLE_NAME : own;
    const resource = costs.resources[row] ?? '';
    const [ofNode, others] = [costs.ofNode[row] ?? 0, costs.others[row] ?? 0];
    return [
      ...(ofNode === 0 ? [] : [{ name, resource, usd: ofNode, isIdle }]),
      ...(others === 0 ? [] : [{ name, resource: '', usd: others, isIdle }]),
    ];
  });
  // What is told by resource is among what has none: it changes its place, and no sum.
  const moved = resources?.names.flatMap((name, i): Entry[] => {
    const usd = resources.usd[i] ?? 0;
    const [isIdle, resource] = [false, resources.resources[i] ?? ''];
    return [
      { name, resource, usd, isIdle },
      { name, resource: '', usd: -usd, isIdle },
    ];
  });
  return [...entries, ...(moved ?? [])];
}

function bearersIn(costs: readonly ToldCosts[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const { names, isIdle, ofNode, others, borneIdle } of costs) {
    names.forEach((own, row) => {
      const isLeft = isIdle[row] === 1;
      const usd = isLeft ? (ofNode[row] ?? 0) + (others[row] ?? 0) : (borneIdle[row] ?? 0);
      const name = isLeft ? IDLE_NAME : own;
      if (usd !== 0) weights.set(name, (weights.get(name) ?? 0) + usd);
    });
  }
  return weights;
}

function only({ days, warnings }: Entries, isMeant: (entry: Entry) => boolean): Entries {
  return { days: days.map(({ entries }) => ({ entries: entries.filter(isMeant) })), warnings };
}

function joined(a: Entries, b: Entries): Entries {
  const days = a.days.map(({ entries }, i): DayEntries => ({
    entries: [...entries, ...(b.days[i]?.entries ?? [])],
  }));
  return { days, warnings: [...new Set([...a.warnings, ...b.warnings])] };
}

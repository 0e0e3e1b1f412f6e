/** Reads the costs of collections from stored allocations. */
import type {
  CostsQuery,
  ItemsQuery,
  SetCosts,
  StoredCosts,
  StoredItems,
  CostTotals,
} from '../allocation/index.ts';
import {
  AGGREGATE_NAMES,
  parseAggregate,
  type AggregateKey,
  type Filter,
  type Window,
} from '../query/index.ts';
import { byName, IDLE_NAME, type DayEntries, type Entry } from './entries.ts';
import { idleName, type Idle, type IdleNames } from './idle.ts';
import { byCost } from './items.ts';
import { within, type Rows } from './selection.ts';
import type { Entries, Items, KubernetesCosts, RowsQuery, Times } from './sources.ts';

/** Costs of allocations by set (src/allocation/stored/stored-costs.ts). */
export type ReadCosts = (query: CostsQuery, signal: AbortSignal) => Promise<StoredCosts>;

/** Costs of allocations by name (src/allocation/stored/stored-items.ts). */
export type ReadItems = (query: ItemsQuery, signal: AbortSignal) => Promise<StoredItems>;

export interface StoredAllocations {
  readonly costs: ReadCosts;
  readonly items: ReadItems;
}

/** Whether a bill covers any of these days, so that costs may be in both. */
export type IsBilled = (days: readonly Window[]) => boolean;

/** Selects rows, and how their costs are named. */
interface EntriesQuery {
  readonly rows: Rows;
  readonly keys: readonly AggregateKey[];
  readonly idle: Idle;
  readonly idleNames?: IdleNames | undefined;
  readonly idleByNode?: boolean | undefined;
}

export function kubernetesCosts(read: StoredAllocations, isBilled: IsBilled): KubernetesCosts {
  const entriesOf = async (times: Times, query: EntriesQuery): Promise<Entries> => {
    const { rows, idle, idleNames = 'one' } = query;
    if (rows === 'nothing') return nothing(times);
    const apart = { ...costsQueryOf(times, { ...query, rows }), resources: isBilled(times.days) };
    const costs = noteGaps(times, await read.costs(apart, times.signal));
    const days = costs.days.map(({ sets }) => ({
      entries: sets.flatMap((set) => entriesIn(set, idle === 'hide' ? idleNames : 'one')),
    }));
    return { days, warnings: costs.warnings };
  };
  /** Idle charged to each name, by day. */
  const idleWeightsOf = async (
    times: Times,
    query: EntriesQuery,
  ): Promise<Map<string, number>[]> => {
    const { rows } = query;
    if (rows === 'nothing') return [];
    const costsQuery = { ...costsQueryOf(times, { ...query, rows }), idle: 'shared' } as const;
    const { days } = noteGaps(times, await read.costs(costsQuery, times.signal));
    return days.map(({ sets }) => idleWeightsIn(sets.map(({ costs }) => costs)));
  };
  return {
    async selected(times, rows, idle) {
      const found = await entriesOf(times, { rows, keys: [], idle });
      return idle === 'hide' ? only(found, (entry) => !entry.isIdle) : found;
    },

    async outside(times, { rows, filter, aggregate, idleNames, idleByNode }: RowsQuery, idle) {
      const keys = parseAggregate(aggregate, AGGREGATE_NAMES);
      const query = { rows: within(rows, filter), keys, idle };
      const found = await entriesOf(times, query);
      if (idle === 'hide') {
        const ofIdle = { rows: filter, keys: [], idle, idleNames, idleByNode };
        const all = await entriesOf(times, ofIdle);
        return joined(
          only(found, (entry) => !entry.isIdle),
          only(all, (entry) => entry.isIdle),
        );
      }
      if (keys.length === 0) return found;
      const weights = await idleWeightsOf(times, query);
      return {
        ...found,
        days: found.days.map((day, i) => ({ ...day, idleBy: weights[i] ?? new Map() })),
      };
    },

    async items(times, { rows, filter, aggregate, idleNames, idleByNode }, idle, most) {
      const keys = parseAggregate(aggregate, AGGREGATE_NAMES);
      const narrowed = within(rows, filter);
      const form = idle === 'hide' ? 'none' : 'shared';
      let found: Items = { items: [], count: 0 };
      if (narrowed !== 'nothing') {
        const of = costsQueryOf(times, { rows: narrowed, keys, idle });
        const query = { ...of, controllers: 'bare', idle: form, most } as const;
        found = noteGaps(times, await read.items(query, times.signal));
      }
      if (idle !== 'hide') return found;
      const all = await entriesOf(times, { rows: filter, keys: [], idle, idleNames, idleByNode });
      const ofIdle = all.days.flatMap(({ entries }) => entries).filter((entry) => entry.isIdle);
      const sums = Array.from(byName(ofIdle), ([name, cost]) => ({ name, cost }));
      const idles = sums.filter(({ cost }) => cost !== 0);
      const items = [...found.items, ...idles].sort(byCost);
      return { items, count: found.count + idles.length };
    },
  };
}

/** Notes the warnings of an incomplete result, and those alone: others do not make a day unknown. */
function noteGaps<Result extends Pick<StoredCosts, 'warnings' | 'isPartial'>>(
  { caveats }: Times,
  result: Result,
): Result {
  if (result.isPartial) caveats.add(result);
  return result;
}

function costsQueryOf(
  { days, nowMs, shareTenancyCosts }: Times,
  { rows: filter, keys, idle, idleByNode = false }: EntriesQuery & { readonly rows: Filter | null },
): CostsQuery {
  const isByNode = idle === 'hide' ? idleByNode : idle === 'shareByNode';
  const ofIdle = { idleByNode: isByNode, idle: 'separate' } as const;
  return { days, nowMs, keys, filter, ...ofIdle, shareTenancyCosts, resources: false };
}

function nothing({ days }: Times): Entries {
  return { days: days.map(() => ({ entries: [] })), warnings: [] };
}

function entriesIn({ costs, resources }: SetCosts, idleNames: IdleNames): Entry[] {
  const entries = costs.names.flatMap((own, row): Entry[] => {
    const isIdle = costs.isIdle[row] === 1;
    const name = isIdle ? idleName(own, idleNames) : own;
    const resource = costs.resources[row] ?? '';
    const [ofNode, others] = [costs.ofNode[row] ?? 0, costs.others[row] ?? 0];
    return [
      ...(ofNode === 0 ? [] : [{ name, resource, usd: ofNode, isIdle }]),
      ...(others === 0 ? [] : [{ name, resource: '', usd: others, isIdle }]),
    ];
  });
  // Costs by resource are also part of the entries without a resource: they are moved, and no sum changes.
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

function idleWeightsIn(costs: readonly CostTotals[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const { names, isIdle, ofNode, others, sharedIdle } of costs) {
    names.forEach((own, row) => {
      const isLeft = isIdle[row] === 1;
      const usd = isLeft ? (ofNode[row] ?? 0) + (others[row] ?? 0) : (sharedIdle[row] ?? 0);
      const name = isLeft ? IDLE_NAME : own;
      if (usd !== 0) weights.set(name, (weights.get(name) ?? 0) + usd);
    });
  }
  return weights;
}

function only({ days, warnings }: Entries, isSelected: (entry: Entry) => boolean): Entries {
  return { days: days.map(({ entries }) => ({ entries: entries.filter(isSelected) })), warnings };
}

function joined(a: Entries, b: Entries): Entries {
  const days = a.days.map(({ entries }, i): DayEntries => ({
    entries: [...entries, ...(b.days[i]?.entries ?? [])],
  }));
  return { days, warnings: [...new Set([...a.warnings, ...b.warnings])] };
}

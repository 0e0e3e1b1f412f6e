/** The allocation query over a set, one allocation and one dollar at a time: slow and obvious. */
import type { SetQuery } from '../../../src/allocation/query/set-query.ts';
import { means, type PlainRow } from './filter-reference.ts';

export const COSTS = [
  'cpuCost', 'cpuCostAdjustment', 'gpuCost', 'gpuCostAdjustment', 'ramCost', 'ramCostAdjustment',
  'pvCost', 'networkCost', 'loadBalancerCost', 'sharedCost', 'externalCost',
] as const; // prettier-ignore
export const HOURS = ['cpuCoreHours', 'gpuHours', 'ramByteHours'] as const;
export type Amount = (typeof COSTS)[number] | (typeof HOURS)[number];

/** An allocation of a day; what is not there is '' or 0. */
export interface Alloc {
  readonly cluster: string;
  readonly node: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly team: string;
  readonly amounts: Readonly<Partial<Record<Amount, number>>>;
}

export type Amounts = Record<Amount, number>;
export type Answer = Map<string, Amounts>;

const RESOURCES = [
  ['cpuCoreHours', 'cpuCost', 'cpuCostAdjustment'],
  ['gpuHours', 'gpuCost', 'gpuCostAdjustment'],
  ['ramByteHours', 'ramCost', 'ramCostAdjustment'],
] as const;

export function total(amounts: Readonly<Partial<Record<Amount, number>>>): number {
  return COSTS.reduce((sum, name) => sum + (amounts[name] ?? 0), 0);
}

interface Item {
  readonly alloc: Alloc;
  readonly amounts: Amounts;
  readonly isMeant: boolean;
  isShared: boolean;
  /** Its part of all that is shared. */
  part: number;
}

export function answerOf(day: readonly Alloc[], query: SetQuery): Answer {
  const items = day.map((alloc): Item => {
    const amounts = {} as Amounts;
    for (const name of [...COSTS, ...HOURS]) amounts[name] = alloc.amounts[name] ?? 0;
    if (!query.external) amounts.externalCost = 0;
    const isMeant = query.filter === null || means(query.filter, plain(alloc));
    const isShared = query.share !== null && means(query.share, plain(alloc)) && isTenant(alloc);
    return { alloc, amounts, isMeant, isShared, part: 0 };
  });
  const ofBalancers = query.sharesBalancers && day.some(isWorkload) ? takeBalancers(items) : 0;
  const isSharing = query.share !== null || query.overheads.length > 0 || ofBalancers !== 0;
  if (isSharing && !divide(items, query)) {
    for (const item of items) item.isShared = false;
    divide(items, query);
  }
  const idle = items.filter(({ alloc }) => alloc.container === '__idle__');
  for (const item of idle) settle(item, items, query);
  if (isSharing) shareOut(items, query, ofBalancers);
  return grouped(items, idle, query);
}

const isTenant = ({ container }: Alloc): boolean =>
  container !== '__idle__' && container !== '__external__';
const isWorkload = (alloc: Alloc): boolean =>
  isTenant(alloc) && alloc.container !== '__unmounted__';

/** Gives each bearer its part. @returns whether there is any */
function divide(items: readonly Item[], query: SetQuery): boolean {
  const bearers = items.filter(({ alloc, isShared }) => isWorkload(alloc) && !isShared);
  const keyOf = (item: Item): string => (query.shareSplit === 'even' ? nameOf(item, query) : '');
  const keys = new Set(bearers.map(keyOf));
  for (const key of keys) {
    const own = bearers.filter((item) => keyOf(item) === key);
    const weights = own.map(({ amounts }) => Math.max(0, total(amounts) - amounts.sharedCost));
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    own.forEach((item, i) => {
      item.part = (all > 0 ? (weights[i] ?? 0) / all : 1 / own.length) / keys.size;
    });
  }
  return bearers.length > 0;
}

/** One idle row: to those who share it, or cut down to what the filter means. */
function settle(idle: Item, items: readonly Item[], query: SetQuery): void {
  const isFiltered = query.filter !== null;
  const meantPart = items.reduce((sum, { part, isMeant }) => sum + (isMeant ? part : 0), 0);
  const kept = items.some(({ part }) => part > 0) ? meantPart : 1;
  for (const columns of RESOURCES) {
    const [, cost, adjustment] = columns;
    const there = items.filter(({ alloc }) => isTenant(alloc) && isThere(idle.alloc, alloc, query));
    const weights = there.map(({ alloc }) =>
      Math.max(0, (alloc.amounts[cost] ?? 0) + (alloc.amounts[adjustment] ?? 0)),
    );
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    let left = idle.isMeant ? 1 : 0;
    if (all > 0) {
      left = 0;
      there.forEach(({ isMeant, isShared }, i) => {
        left += ((weights[i] ?? 0) / all) * (isShared ? kept : isMeant ? 1 : 0);
      });
    }
    for (const column of columns) {
      const amount = idle.alloc.amounts[column] ?? 0;
      if (query.shareIdle && all > 0) {
        there.forEach((item, i) => {
          item.amounts[column] += (amount * (weights[i] ?? 0)) / all;
        });
        idle.amounts[column] = 0;
      } else if (!query.shareIdle && isFiltered) idle.amounts[column] = amount * left;
    }
  }
  if (query.shareIdle || !isFiltered || idle.isMeant) return;
  for (const name of ['pvCost', 'networkCost', 'loadBalancerCost', 'sharedCost', 'externalCost'] as const)
    idle.amounts[name] = 0; // prettier-ignore
}

function isThere(idle: Alloc, alloc: Alloc, query: SetQuery): boolean {
  if (idle.cluster !== alloc.cluster) return false;
  return !query.idleByNode || idle.node === '' || idle.node === alloc.node;
}

/** Takes what each pays for load balancers. @returns USD */
function takeBalancers(items: readonly Item[]): number {
  let taken = 0;
  for (const { amounts } of items) {
    taken += amounts.loadBalancerCost;
    amounts.loadBalancerCost = 0;
  }
  return taken;
}

function shareOut(items: readonly Item[], query: SetQuery, ofBalancers: number): void {
  let shared = query.overheads.reduce((sum, { usd }) => sum + usd, ofBalancers);
  for (const { isShared, amounts } of items) if (isShared) shared += total(amounts);
  for (const { amounts, part } of items) amounts.sharedCost += part * shared;
}

function grouped(items: readonly Item[], idle: readonly Item[], query: SetQuery): Answer {
  const rows = items.filter(({ alloc, isMeant, isShared }) => {
    if (alloc.container === '__idle__' || !isMeant || isShared) return false;
    return alloc.container !== '__external__' || query.external;
  });
  const answer: Answer = new Map();
  const add = (name: string, amounts: Amounts): void => {
    const group = answer.get(name) ?? ({} as Amounts);
    answer.set(name, group);
    for (const key of [...COSTS, ...HOURS]) group[key] = (group[key] ?? 0) + amounts[key];
  };
  for (const item of rows) add(nameOf(item, query), item.amounts);
  for (const item of idleShown(idle, query)) add(idleName(item.alloc, query), item.amounts);
  return answer;
}

function idleShown(idle: readonly Item[], query: SetQuery): readonly Item[] {
  if (!query.idle) return [];
  if (!query.shareIdle && query.filter === null) return idle;
  const left = idle.filter(
    ({ amounts, isMeant }) =>
      COSTS.some((name) => amounts[name] !== 0) && (!query.shareIdle || isMeant),
  );
  const isOneRow = left.length === 0 && !query.shareIdle && !query.splitIdle;
  return isOneRow ? idle : left;
}

function idleName({ cluster, node }: Alloc, query: SetQuery): string {
  if (!query.splitIdle || query.shareIdle) return '__idle__';
  const place = query.idleByNode ? [cluster, node] : [cluster];
  return [...place.filter((part) => part !== ''), '__idle__'].join('/');
}

function nameOf({ alloc }: Item, { keys }: SetQuery): string {
  const { cluster, node, namespace, pod, container, team } = alloc;
  if (keys.length === 0) return [cluster, node, namespace, pod, container].join('/');
  return keys
    .map((key) => {
      if (key.kind === 'label') return team === '' ? '__unallocated__' : `team=${team}`;
      const value = key.kind === 'property' ? plain(alloc).texts.get(key.property) : undefined;
      return value || '__unallocated__';
    })
    .join('/');
}

function plain({ cluster, node, namespace, pod, container, team }: Alloc): PlainRow {
  return {
    texts: new Map(Object.entries({ cluster, node, namespace, pod, container })),
    services: [],
    labels: new Map(team === '' ? [] : [['team', team]]),
    annotations: new Map(),
  };
}

/**
 * The rows of the stored sets of kind `usage`: for each container of a controller, replicas together,
 * the largest usage and sketches of CPU (cores) and RAM (bytes), for sizing requests.
 */
import {
  columnSpecs,
  createFrame,
  eachNumber,
  encodeSketches,
  frameTable,
  METER_ROW,
  SAMPLED,
  type Arena,
  type BytesColumn,
  type Engine,
  type Owner,
  type Table,
} from '../../columnar/index.ts';
import type { Account } from '../ledger/decide.ts';
import { openMembers } from '../ledger/members.ts';
import { sumUsage } from './sum-usage.ts';
import { USAGE_COLUMNS, USAGE_KEYS } from '../row/usage-columns.ts';
import type { UsageAt } from '../ledger/usage-slots.ts';

const RESOURCES = ['cpu', 'ram'] as const;

/**
 * Usage in the set; containers without usage are left out.
 * @param set its place among the ledger's sets
 */
export function usageTable(
  engine: Engine,
  owner: Owner,
  accounts: readonly Account[],
  set: number,
): Table {
  const tables = accounts.flatMap(({ usage, ...account }) =>
    usage === null ? [] : [tableOf(engine, owner, { ...account, usage }, set)],
  );
  const [first] = tables;
  return first && tables.length === 1 ? first : sumUsage(engine, owner, tables);
}

type Counted = Omit<Account, 'usage'> & { readonly usage: UsageAt };

function tableOf(engine: Engine, owner: Owner, account: Counted, set: number): Table {
  const { arena } = engine;
  const { usage, members: at } = account;
  const [first = 0, end = 0] = usage.firsts.slice(set, set + 2);
  const columns = new Map<string, BytesColumn>();
  for (const [place, name] of USAGE_COLUMNS.bytes.entries()) {
    const resource = RESOURCES[Math.floor(place / SAMPLED.length)] ?? 'cpu';
    const { table } = usage.sketches[resource];
    const stride = SAMPLED.length;
    const from = { first: stride * first + (place % stride), stride };
    columns.set(name, encodeSketches(engine, owner, { table, count: stride * end }, from));
  }
  const isUsed = (slot: number): boolean =>
    [...columns.values()].some(({ offsets }) => offsets[slot + 1] !== offsets[slot]);
  const used = Array.from({ length: end - first }, (_, slot) => slot).filter(isUsed);
  const slotMembers = arena.u32(usage.members + 4 * first, end - first);
  const { frame: members, dictionary } = openMembers(arena, at);
  const frame = createFrame(arena, columnSpecs(USAGE_COLUMNS), used.length, owner);
  for (const name of USAGE_KEYS) {
    const codes = members.u32(name);
    frame.u32(name).set(used.map((slot) => codes[slotMembers[slot] ?? 0] ?? 0));
  }
  USAGE_COLUMNS.numbers.forEach((name, i) => {
    const largest = largestOf(arena, account, RESOURCES[i] ?? 'cpu', { first, end });
    frame.f64(name).set(used.map((slot) => largest[slot] ?? 0));
  });
  const bytes = (name: string): BytesColumn | undefined => {
    const column = columns.get(name);
    if (!column) return undefined;
    // Left-out slots have no bytes.
    const offsets = arena.u32(arena.allocate(4 * (used.length + 1), owner), used.length + 1);
    offsets.set([0, ...used.map((slot) => column.offsets[slot + 1] ?? 0)]);
    return { offsets, bytes: column.bytes };
  };
  return { ...frameTable(frame, dictionary), bytes };
}

function largestOf(
  arena: Arena,
  { ledger, usage }: Counted,
  resource: 'cpu' | 'ram',
  { first, end }: { readonly first: number; readonly end: number },
): Float64Array {
  const largest = new Float64Array(end - first);
  const slots = arena.u32(usage.slots, ledger.rowCount);
  const { usageMax: place } = METER_ROW.f64;
  const usageMax = eachNumber(arena, ledger.rows[resource], ledger.rowCount, METER_ROW, place);
  slots.forEach((slot, row) => {
    if (slot < first || slot >= end) return;
    largest[slot - first] = Math.max(largest[slot - first] ?? 0, usageMax(row));
  });
  return largest;
}

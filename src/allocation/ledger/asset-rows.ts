/**
 * Assets beside the nodes' capacity: when each was there and what it costs in each set, brought into
 * the arena as rows in order of sets, so that any thread can pick those of one set.
 */
import { ASSET_TEXTS, type AssetText, type AssetType } from '../../assets/columns.ts';
import {
  createFrame,
  Dictionary,
  DictionaryBuilder,
  Frame,
  frameTable,
  type Arena,
  type Owner,
  type Table,
} from '../../columnar/index.ts';
import { boundAt } from '../inventory/coverage.ts';
import type { Stretch } from '../inventory/presence.ts';

/** What an asset costs in one set, USD, and of disks how much they are. */
export interface AssetAmount {
  readonly byteHours: number;
  readonly cost: number;
}

export interface AssetLife {
  readonly told: { readonly type: AssetType; readonly cluster: string; readonly name: string } & {
    readonly [Name in AssetText]?: string;
  };
  readonly numbers?: { readonly [Name in ToldNumber]?: number };
  /** In order of time. */
  readonly stretches: readonly Stretch[];
  /** By set, where it is anything. */
  readonly amounts: ReadonlyMap<number, AssetAmount>;
}

/** Addresses; opened by `assetsOf`. */
export interface AssetsAt {
  readonly frame: number;
  readonly dictionary: number;
}

const TOLD_NUMBERS = ['isAttached', 'preemptible', 'discount', 'endUncertaintyMs'] as const;
type ToldNumber = (typeof TOLD_NUMBERS)[number];
const NUMBERS = ['set', 'startMs', 'endMs', 'byteHours', 'cost', ...TOLD_NUMBERS] as const;

/** Bytes of a row of the frame. */
export const ASSET_ROW_BYTES: number = 4 * ASSET_TEXTS.length + 8 * NUMBERS.length;

interface Row {
  readonly life: AssetLife;
  readonly set: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** @param setsMs bounds, ascending: set s is [setsMs[s], setsMs[s + 1]) */
export function storeAssets(
  arena: Arena,
  owner: Owner,
  lives: readonly AssetLife[],
  setsMs: readonly number[],
): AssetsAt {
  const rows = lives.flatMap((life) => rowsOf(life, setsMs)).sort((a, b) => a.set - b.set);
  const frame = createFrame(
    arena,
    [
      ...ASSET_TEXTS.map((name) => ({ name, type: 'u32' as const })),
      ...NUMBERS.map((name) => ({ name, type: 'f64' as const })),
    ],
    rows.length,
    owner,
  );
  const texts = new DictionaryBuilder();
  for (const name of ASSET_TEXTS) {
    const codes = frame.u32(name);
    rows.forEach(({ life }, i) => (codes[i] = texts.code(life.told[name] ?? '')));
  }
  const fill = (name: (typeof NUMBERS)[number], value: (row: Row) => number): void => {
    const column = frame.f64(name);
    rows.forEach((row, i) => (column[i] = value(row)));
  };
  fill('set', ({ set }) => set);
  fill('startMs', ({ startMs }) => startMs);
  fill('endMs', ({ endMs }) => endMs);
  fill('byteHours', ({ life, set }) => life.amounts.get(set)?.byteHours ?? 0);
  fill('cost', ({ life, set }) => life.amounts.get(set)?.cost ?? 0);
  for (const name of TOLD_NUMBERS) fill(name, ({ life }) => life.numbers?.[name] ?? 0);
  return { frame: frame.address, dictionary: texts.store(arena, owner).address };
}

/** The sets in which it was there, and from when to when. */
function rowsOf(life: AssetLife, setsMs: readonly number[]): Row[] {
  const bySet = new Map<number, Row>();
  for (const stretch of life.stretches) {
    const first = Math.max(0, boundAt(setsMs, stretch.startMs));
    for (let set = first; (setsMs[set] ?? Infinity) < stretch.endMs; set++) {
      const startMs = Math.max(stretch.startMs, setsMs[set] ?? NaN);
      const endMs = Math.min(stretch.endMs, setsMs[set + 1] ?? -Infinity);
      if (!(startMs < endMs)) continue;
      const before = bySet.get(set);
      bySet.set(set, { life, set, startMs: before?.startMs ?? startMs, endMs });
    }
  }
  return [...bySet.values()];
}

/** The assets of one set, a view. */
export function assetsOf(arena: Arena, { frame: at, dictionary }: AssetsAt, set: number): Table {
  const frame = new Frame(arena, at);
  const sets = Array.from(frame.f64('set'));
  const [from, to] = [boundAt(sets, set - 0.5) + 1, boundAt(sets, set) + 1];
  const whole = frameTable(frame, new Dictionary(arena, dictionary));
  return {
    rows: to - from,
    text(name) {
      const column = whole.text(name);
      return column && { codes: column.codes.subarray(from, to), texts: column.texts };
    },
    numbers(name) {
      const column = whole.numbers(name);
      return (
        column && { address: column.address + 8 * from, values: column.values.subarray(from, to) }
      );
    },
  };
}

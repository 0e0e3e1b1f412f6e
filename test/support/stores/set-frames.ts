/** Frames of one set, as set-rows.ts lays them out, from rows in words. */
import type { PriceSource } from '../../../src/pricing/index.ts';
import type { CodedFrame } from '../../../src/allocation/row/coded-frame.ts';
import {
  type END_SOURCES,
  IDENTITY_COLUMNS,
  PRICE_SOURCE,
  TEXT_COLUMNS,
  type IdentityColumn,
} from '../../../src/allocation/row/schema.ts';
import {
  createFrame,
  DictionaryBuilder,
  frameTable,
  type Frame,
  type Arena,
  type ColumnSpec,
  type Owner,
  type Table,
} from '../../../src/columnar/index.ts';

const CODES = [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, PRICE_SOURCE, 'pvs'];
export const NUMBERS = ['cpuCost', 'cpuCoreHours', 'cpuCoreUsageMax'] as const;

export type Labels = Readonly<Record<string, string>>;
export type Row = Readonly<Partial<Record<IdentityColumn, string>>> & {
  readonly labels?: Labels;
  readonly numbers?: readonly [cost: number, hours: number, max: number];
  readonly startMs?: number;
  readonly endMs?: number;
  readonly priceSource?: PriceSource | '';
  readonly endSource?: (typeof END_SOURCES)[number];
};

/** Pairs, because an object takes `__proto__` for something else. */
function labelsText(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map((pair) => pair.map((text) => JSON.stringify(text)));
  return pairs.length === 0 ? '' : `{${pairs.map((pair) => pair.join(':')).join(',')}}`;
}

export function framed(arena: Arena, owner: Owner, rows: readonly Row[]): Table {
  const { frame, texts } = filled(arena, owner, rows);
  return frameTable(frame, texts);
}

/** With the dictionary in the arena. */
export function framedPart(arena: Arena, owner: Owner, rows: readonly Row[]): CodedFrame {
  const { frame, texts } = filled(arena, owner, rows);
  return { frame, texts: texts.store(arena, owner) };
}

function filled(
  arena: Arena,
  owner: Owner,
  rows: readonly Row[],
): { frame: Frame; texts: DictionaryBuilder } {
  const specs: ColumnSpec[] = [
    ...[...CODES, 'endSource'].map((name): ColumnSpec => ({ name, type: 'u32' })),
    ...['startMs', 'endMs', 'endUncertaintyMs', ...NUMBERS].map((name): ColumnSpec => ({
      name,
      type: 'f64',
    })),
  ];
  const frame = createFrame(arena, specs, rows.length, owner);
  const texts = new DictionaryBuilder();
  rows.forEach((row, i) => {
    for (const name of CODES) frame.u32(name)[i] = 0;
    for (const name of IDENTITY_COLUMNS) frame.u32(name)[i] = texts.code(row[name] ?? '');
    frame.u32('labels')[i] = texts.code(labelsText(row.labels));
    frame.u32(PRICE_SOURCE)[i] = texts.code(row.priceSource ?? '');
    frame.u32('endSource')[i] = texts.code(row.endSource ?? 'completionTime');
    frame.f64('startMs')[i] = row.startMs ?? 0;
    frame.f64('endMs')[i] = row.endMs ?? 1;
    frame.f64('endUncertaintyMs')[i] = 0;
    NUMBERS.forEach((name, n) => (frame.f64(name)[i] = row.numbers?.[n] ?? 0));
  });
  return { frame, texts };
}

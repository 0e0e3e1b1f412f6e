/** Rows of containers as columns: five of texts and eighteen of numbers, ready to be written as CSV. */
import {
  compileRow,
  createFrame,
  DictionaryBuilder,
  escapeTexts,
  type ColumnSpec,
  type Engine,
  type Frame,
} from '../src/columnar/index.ts';
import { csvNumbers, csvRow } from '../src/export/index.ts';
import { seededRandom } from './random.ts';

const OWNER = 1;
/** Text columns, and how many rows share a text. */
const TEXTS: readonly (readonly [name: string, shared: number])[] = [
  ['cluster', 250_000],
  ['node', 50],
  ['namespace', 100],
  ['pod', 2],
  ['container', 100_000],
];
const NUMBERS: readonly string[] = Array.from({ length: 18 }, (_, i) => `m${i}`);
export const COLUMNS: number = TEXTS.length + NUMBERS.length;

export interface Sheet {
  readonly rows: number;
  readonly frame: Frame;
  /** Cells of a column of texts, or its numbers. */
  readonly columns: ReadonlyMap<string, readonly string[] | Float64Array>;
  /** Address of the program that writes its rows. */
  readonly program: number;
}

export function createSheet(engine: Engine, rows: number): Sheet {
  const { arena } = engine;
  const random = seededRandom(rows);
  const specs = [
    ...TEXTS.map(([name]): ColumnSpec => ({ name, type: 'u32' })),
    ...NUMBERS.map((name): ColumnSpec => ({ name, type: 'f64' })),
  ];
  const frame = createFrame(arena, specs, rows, OWNER);
  const builder = new DictionaryBuilder();
  const columns = new Map<string, readonly string[] | Float64Array>();
  for (const [name, shared] of TEXTS) {
    const texts = Array.from({ length: rows }, (_, row) => `${name}-${Math.floor(row / shared)}-x`);
    frame.u32(name).set(texts.map((text) => builder.code(text)));
    columns.set(name, texts);
  }
  for (const name of NUMBERS) {
    const values = frame.f64(name);
    for (let row = 0; row < rows; row++) values[row] = random() * 10;
    columns.set(name, values);
  }
  const codes = TEXTS.map(([name]) => frame.u32(name));
  const texts = escapeTexts(engine, OWNER, builder.store(arena, OWNER), codes, 'csv');
  const cells = [
    ...codes.map((column) => ({ kind: 'text' as const, codes: column.byteOffset, texts })),
    ...NUMBERS.map((name) => csvNumbers(frame.f64(name).byteOffset)),
  ];
  return { rows, frame, columns, program: compileRow(arena, OWNER, rows, csvRow(cells)) };
}

/** Adds up cells, each weighed by its column: numbers by their value, texts by their length. */
export function checksumOfColumns({ columns, rows }: Sheet): number {
  let total = 0;
  const all = [...columns.values()];
  for (let row = 0; row < rows; row++) {
    all.forEach((column, i) => {
      const cell = column[row] ?? NaN;
      total += (typeof cell === 'string' ? cell.length : cell) * (1 + i);
    });
  }
  return total;
}

/** The same of lines of CSV without quotes, chunk by chunk. */
export class CsvChecksum {
  total = 0;
  #rest = '';

  add(chunk: Uint8Array): void {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    const lines = `${this.#rest}${text}`.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      line.split(',').forEach((cell, i) => {
        this.total += (i < TEXTS.length ? cell.length : Number(cell)) * (1 + i);
      });
    }
  }
}

/**
 * Grouped rows as record batches of Arrow, one a set. Every batch has the same columns: numbers are
 * f64 (NaN where JSON has null), texts have a dictionary a batch, of the batch's own texts alone.
 */
import { type Engine, type Owner, type Texts } from '../../columnar/index.ts';
import { arrowPieces, type StreamColumn, type StreamValues } from '../../storage/index.ts';
import type { CodedFrame } from '../row/coded-frame.ts';
import type { RowOptions } from '../params/format.ts';
import { evaluate, type FormulaColumns } from '../row/formula.ts';
import type { Cell, Column } from './row-columns.ts';
import { END_SOURCES } from '../row/schema.ts';
import type { SetAt } from './set-at.ts';

const NO_NUMBERS = new Float64Array();

/** The schema, which comes before the batches. */
export async function arrowHead(columns: readonly Column[]): Promise<Uint8Array> {
  const empty = columns.map(({ name, cell }): StreamColumn => {
    const kind = KINDS[cell.kind];
    return kind === 'text'
      ? { name, kind, codes: new Int32Array(), texts: [''] }
      : { name, kind, values: NO_NUMBERS };
  });
  return (await arrowPieces(0, empty)).head;
}

/** @throws {ArenaFull} when there is no room */
export async function arrowBatch(
  engine: Engine,
  owner: Owner,
  grouped: CodedFrame,
  columns: readonly Column[],
  options: RowOptions,
): Promise<SetAt> {
  const { arena } = engine;
  const formulas = columns.flatMap(({ cell }) => (cell.kind === 'number' ? [cell.formula] : []));
  const numbers = evaluate({ engine, owner }, grouped.frame, formulas);
  let run = { address: 0, bytes: 0 };
  const { batch } = await arrowPieces(
    grouped.frame.rows,
    columns.map(({ name, cell }) => ({ name, ...valuesOf(grouped, numbers, options, cell) })),
    // malloc would retain much more than a buffer as long as the answer.
    (bytes) => {
      run = { address: arena.allocate(bytes, owner), bytes };
      return arena.u8(run.address, bytes);
    },
  );
  const from = batch.byteOffset - arena.placeOf(run.address, run.bytes);
  arena.shrink(run.address, run.bytes, from + batch.length);
  return { kind: 'bytes', address: run.address + from, rows: batch.length, holds: [] };
}

const KINDS: Readonly<Record<Cell['kind'], StreamColumn['kind']>> = {
  number: 'number',
  text: 'text',
  moment: 'moment',
  window: 'moment',
  endSource: 'text',
};

function valuesOf(
  { frame, texts }: CodedFrame,
  numbers: FormulaColumns,
  options: RowOptions,
  cell: Cell,
): StreamValues {
  switch (cell.kind) {
    case 'number': {
      const address = numbers.get(cell.formula);
      const { arena, rows } = frame;
      const values = address === undefined ? new Float64Array(rows) : arena.f64(address, rows);
      return { kind: 'number', values };
    }
    case 'moment':
      return { kind: 'moment', values: frame.f64(cell.column) };
    case 'window':
      return {
        kind: 'moment',
        values: new Float64Array(frame.rows).fill(options.window[cell.edge]),
      };
    case 'text': {
      return { kind: 'text', ...textsInOrder(frame.u32(cell.column), texts) };
    }
    case 'endSource':
      return { kind: 'text', codes: Int32Array.from(frame.u32('endSource')), texts: END_SOURCES };
  }
}

/** Texts in the order of their first rows, after the empty one: the same, wherever the rows were grouped. */
function textsInOrder(
  codes: Uint32Array,
  all: Texts,
): { readonly codes: Int32Array; readonly texts: string[] } {
  const places = new Uint32Array(all.size);
  const texts = [''];
  const own = new Int32Array(codes.length);
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row] ?? 0;
    if (code === 0) continue;
    if (places[code] === 0) places[code] = texts.push(all.text(code)) - 1;
    own[row] = places[code] ?? 0;
  }
  return { codes: own, texts };
}

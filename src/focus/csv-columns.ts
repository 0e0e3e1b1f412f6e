/** Records of a block as columns. */
import { readRows } from '../query/index.ts';
import type { SourceNumber, SourceText } from './columns.ts';
import type { Header } from './header.ts';
import { isNull, shown, type BadCell, type SourceColumns } from './source-columns.ts';

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** @param bytes whole records */
export function csvColumns(bytes: Uint8Array, header: Header): SourceColumns {
  const rows = readRows(Buffer.from(bytes).toString(), '');
  const bad: BadCell[] = [];
  rows.forEach((cells, row) => {
    if (cells.length === header.columns) return;
    const reason = `it has ${cells.length} cells, the header has ${header.columns}`;
    bad.push({ row, column: '', reason });
  });
  const numbers = new Map<string, Float64Array>();
  for (const [name, place] of Object.entries(header.numbers)) {
    const values = rows.map((cells, row) => {
      const text = (cells[place] ?? '').trim();
      if (isNull(text)) return NaN;
      const value = NUMBER.test(text) ? Number(text) : NaN;
      if (Number.isFinite(value)) return value;
      bad.push({ row, column: name, reason: `${shown(text)} is not a number` });
      return NaN;
    });
    numbers.set(name, Float64Array.from(values));
  }
  return {
    rows: rows.length,
    bad,
    numbers: (name: SourceNumber) => numbers.get(name),
    text(name: SourceText) {
      const place = header.texts[name];
      if (place === undefined) return undefined;
      const known = new Map<string, number>();
      const codes = Uint32Array.from(rows, (cells) => {
        const text = cells[place] ?? '';
        const code = known.get(text) ?? known.size;
        known.set(text, code);
        return code;
      });
      return { codes, texts: [...known.keys()] };
    },
  };
}

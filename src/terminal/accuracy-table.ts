/** Measured accuracy as a table for people, as JSON and as CSV. */
import { csvLine, csvNumber, csvText } from '../export/index.ts';
import { isInside, promised, type Cell } from './accuracy-cells.ts';

const COLUMNS = ['resolution', 'lifetime', 'lower', 'upper', 'seconds', 'peakRssBytes'] as const;

export function asJson(cells: readonly Cell[]): string {
  return `${JSON.stringify(cells, [...COLUMNS], 2)}\n`;
}

export function asCsv(cells: readonly Cell[]): string {
  const lines = cells.map((cell) =>
    COLUMNS.map((column) => {
      const value = cell[column];
      return typeof value === 'number' ? csvNumber(value) : csvText(value);
    }),
  );
  return [COLUMNS, ...lines].map(csvLine).join('');
}

const WIDTHS = [11, 9, 16, 16, 8, 9, 0];
const HEAD = ['resolution', 'lifetime', 'promised', 'measured', 'seconds', 'RSS MiB', ''];

/** A line for each cell; the cells come lifetime by lifetime. */
export function asTable(cells: readonly Cell[]): string {
  const lines = cells.map((cell) => [
    cell.resolution,
    cell.lifetime,
    bounds(promised(cell)),
    bounds([cell.lower, cell.upper]),
    cell.seconds.toFixed(2),
    String(Math.round(cell.peakRssBytes / 2 ** 20)),
    isInside(cell) ? '' : 'OUTSIDE',
  ]);
  return `${[HEAD, ...lines].map(padded).join('\n')}\n`;
}

function padded(cells: readonly string[]): string {
  return cells
    .map((cell, i) => cell.padEnd(WIDTHS[i] ?? 0))
    .join('')
    .trimEnd();
}

function bounds([lower, upper]: readonly [number, number]): string {
  return `${lower.toFixed(2)}, ${upper.toFixed(2)}`;
}

/** Rows of costs, column by column, as the CSV of allocations tells them: fifty thousand are read at once. */

/** Columns by their names in the CSV. */
export const MEASURES = {
  cpu: 'CPU',
  ram: 'RAM',
  gpu: 'GPU',
  disk: 'PV',
  network: 'Network',
  balancer: 'LoadBalancer',
  shared: 'Shared',
  external: 'External',
  /** Idle that the row bears, and how that changed: of two answers (idle-share.ts). */
  idle: '',
  idleChange: '',
  efficiency: 'Efficiency',
  total: 'Total',
} as const;

export type Measure = keyof typeof MEASURES;

export interface CostRows {
  readonly names: readonly string[];
  readonly columns: Readonly<Record<Measure, Float64Array>>;
  /** Rows by name. */
  readonly at: ReadonlyMap<string, number>;
}

export const MEASURE_NAMES = Object.keys(MEASURES) as readonly Measure[];

/** @param text CSV with a header; a column that is not there is 0 */
export function readRows(text: string): CostRows {
  const lines = csvLines(text);
  const header = lines[0] ?? [];
  const count = Math.max(0, lines.length - 1);
  const names: string[] = [];
  const at = new Map<string, number>();
  const columns = emptyColumns(count);
  const places = MEASURE_NAMES.map((measure) => header.indexOf(MEASURES[measure]));
  for (let row = 0; row < count; row++) {
    const cells = lines[row + 1] ?? [];
    const name = plainText(cells[0] ?? '');
    names.push(name);
    at.set(name, row);
    for (const [index, measure] of MEASURE_NAMES.entries()) {
      columns[measure][row] = Number(cells[places[index] ?? -1] ?? 0);
    }
  }
  return { names, columns, at };
}

export function emptyColumns(count: number): Record<Measure, Float64Array> {
  const entries = MEASURE_NAMES.map((measure) => [measure, new Float64Array(count)] as const);
  return Object.fromEntries(entries) as Record<Measure, Float64Array>;
}

/** A `'` before what a spreadsheet would run is not part of the name. */
function plainText(cell: string): string {
  return /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

/** Cells of each line (https://www.rfc-editor.org/rfc/rfc4180). */
function csvLines(text: string): string[][] {
  if (text === '') return [];
  if (!text.includes('"')) {
    const lines = text.endsWith('\n') ? text.slice(0, -1) : text;
    return lines.split('\n').map((line) => line.split(','));
  }
  const lines: string[][] = [];
  let line: string[] = [];
  for (let at = 0; at < text.length;) {
    const [cell, end] = cellFrom(text, at);
    line.push(cell);
    if (text[end] !== ',') {
      lines.push(line);
      line = [];
    }
    at = end + 1;
    if (text[end] === ',' && at === text.length) line.push('');
  }
  if (line.length > 0) lines.push(line);
  return lines;
}

/** @returns the cell, and where the sign after it is */
function cellFrom(text: string, start: number): [cell: string, end: number] {
  if (text[start] !== '"') {
    const end = /[,\n]/g;
    end.lastIndex = start;
    const found = end.exec(text)?.index ?? text.length;
    return [text.slice(start, found), found];
  }
  let cell = '';
  for (let at = start + 1; ;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return [cell + text.slice(at), text.length];
    cell += text.slice(at, quote);
    if (text[quote + 1] !== '"') return [cell, quote + 1];
    cell += '"';
    at = quote + 2;
  }
}

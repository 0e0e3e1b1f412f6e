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

/** Lines that are read at once: a few milliseconds of work. */
const SLICE_LINES = 2000;

/** @param text CSV with a header; a column that is not there is 0 */
export function readRows(text: string): CostRows {
  const steps = reading(text);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * `readRows` in slices, so that fifty thousand rows do not keep the page from answering.
 * @param pause is awaited between two slices
 */
export async function readRowsInSlices(
  text: string,
  pause: () => Promise<void>,
): Promise<CostRows> {
  const steps = reading(text);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

/** Yields after each slice. */
function* reading(text: string): Generator<undefined, CostRows> {
  const lines = csvLines(text);
  const head = lines.next();
  const header = head.done === true ? [] : head.value;
  const places = MEASURE_NAMES.map((measure) => header.indexOf(MEASURES[measure]));
  const columns = emptyColumns(lineCount(text));
  const names: string[] = [];
  const at = new Map<string, number>();
  for (const cells of lines) {
    const row = names.length;
    const name = plainText(cells[0] ?? '');
    names.push(name);
    at.set(name, row);
    for (const [index, measure] of MEASURE_NAMES.entries()) {
      columns[measure][row] = Number(cells[places[index] ?? -1] ?? 0);
    }
    if (names.length % SLICE_LINES === 0) yield;
  }
  const entries = MEASURE_NAMES.map(
    (measure) => [measure, columns[measure].subarray(0, names.length)] as const,
  );
  return { names, columns: Object.fromEntries(entries) as CostRows['columns'], at };
}

/** At least as many as there are rows: names may have lines of their own. */
function lineCount(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count + 1;
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
function* csvLines(text: string): Generator<string[], undefined> {
  if (!text.includes('"')) {
    for (let at = 0; at < text.length;) {
      const found = text.indexOf('\n', at);
      const end = found < 0 ? text.length : found;
      yield text.slice(at, end).split(',');
      at = end + 1;
    }
    return;
  }
  let line: string[] = [];
  for (let at = 0; at < text.length;) {
    const [cell, end] = cellFrom(text, at);
    line.push(cell);
    if (text[end] !== ',') {
      yield line;
      line = [];
    }
    at = end + 1;
    if (text[end] === ',' && at === text.length) line.push('');
  }
  if (line.length > 0) yield line;
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

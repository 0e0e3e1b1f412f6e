/**
 * CSV files of OpenCost's exporter: a row for each container and day of UTC. It names no cluster and no
 * node, leaves out idle, and has averages over a container's running time without that time; load
 * balancers are in the total alone. Rows of a day stand together, as the exporter appends days.
 * https://github.com/opencost/opencost/blob/develop/pkg/costmodel/csv_export.go
 */
import { DAY_MS, Fault, readTimestamp, RowReader } from '../../query/index.ts';
import { SavedRow, setRow } from './saved-row.ts';
import { SavedSetBuilder, type SavedSet } from './saved-set.ts';
import { COST_COLUMNS, type IdentityColumn } from '../row/schema.ts';

/** Identity columns, by column of the file. */
const TEXTS: ReadonlyMap<string, IdentityColumn> = new Map<string, IdentityColumn>([
  ['Cluster', 'cluster'],
  ['Node', 'node'],
  ['Namespace', 'namespace'],
  ['ControllerKind', 'controllerKind'],
  ['ControllerName', 'controller'],
  ['Pod', 'pod'],
  ['Container', 'container'],
]);
const NUMBERS: ReadonlyMap<string, string> = new Map([
  ['CPUCoreUsageAverage', 'cpuCoreUsageAverage'],
  ['CPUCoreRequestAverage', 'cpuCoreRequestAverage'],
  ['RAMBytesUsageAverage', 'ramByteUsageAverage'],
  ['RAMBytesRequestAverage', 'ramByteRequestAverage'],
  ['NetworkReceiveBytes', 'networkReceiveBytes'],
  ['NetworkTransferBytes', 'networkTransferBytes'],
  ['GPUs', 'gpuCount'],
  ['PVBytes', 'pvBytes'],
  ['CPUCost', 'cpuCost'],
  ['RAMCost', 'ramCost'],
  ['NetworkCost', 'networkCost'],
  ['PVCost', 'pvCost'],
  ['GPUCost', 'gpuCost'],
  ['TotalCost', 'totalCost'],
]);
const REQUIRED = ['Date', 'Namespace', 'Pod', 'Container', 'CPUCost', 'RAMCost', 'TotalCost'];
const LABEL_PREFIX = 'Label_';
const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const HINT = 'give the file as the exporter wrote it';
const AVERAGES_NOTE =
  "OpenCost's CSV does not tell how long containers ran: hours are its averages over the whole day";
/** Below it, a total's difference from its parts is rounding. */
const ROUNDING = 1e-9;

/**
 * @param name of the file, for errors
 * @param clusterId where the file has no column of clusters
 * @returns sets of whole days of UTC, in the order of the file
 * @throws {Fault} naming the file, the row from 1 and the column
 */
export async function* readOpencostCsv(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  clusterId: string,
): AsyncGenerator<SavedSet> {
  const file = new OpencostFile(name, clusterId);
  for await (const rows of rowsOf(chunks, name)) {
    for (const cells of rows) {
      const whole = file.add(cells);
      if (whole) yield whole;
    }
  }
  yield file.finish();
}

async function* rowsOf(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<string[][]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch (cause) {
      throw new Fault(`${name} is not a text of UTF-8`, { hint: HINT, cause });
    }
  };
  const reader = new RowReader(name);
  for await (const chunk of chunks) yield reader.push(decode(chunk));
  yield reader.push(decode());
  yield reader.finish();
}

class OpencostFile {
  readonly #name: string;
  readonly #clusterId: string;
  #columns: readonly string[] = [];
  #row = 0;
  #date = '';
  #startMs = 0;
  #set: SavedSetBuilder = new SavedSetBuilder();
  readonly #dates: Set<string> = new Set();

  constructor(name: string, clusterId: string) {
    this.#name = name;
    this.#clusterId = clusterId;
  }

  /** @returns the set of the day that this row ends by being of another */
  add(cells: readonly string[]): SavedSet | undefined {
    this.#row++;
    if (this.#row === 1) {
      this.#readHeader(cells);
      return undefined;
    }
    const columns = this.#columns;
    if (cells.length !== columns.length) {
      throw this.#fault(undefined, `cells: ${cells.length}, columns: ${columns.length}`);
    }
    const row = new Map(columns.map((column, i) => [column, cells[i] ?? '']));
    const date = row.get('Date') ?? '';
    const whole = date === this.#date ? undefined : this.#begin(date);
    this.#addRow(row);
    return whole;
  }

  /** @throws {Fault} when there is no row */
  finish(): SavedSet {
    if (this.#set.rows > 0) return this.#set;
    const missing = this.#row === 0 ? 'it is empty' : 'there is no row under the names of columns';
    throw new Fault(`${this.#name}: ${missing}`, { hint: HINT });
  }

  #readHeader(names: readonly string[]): void {
    this.#columns = names;
    const twice = names.find((name, i) => names.indexOf(name) < i);
    if (twice !== undefined) throw this.#fault(twice, 'is there twice');
    for (const name of REQUIRED) {
      if (!names.includes(name)) throw this.#fault(name, 'is missing');
    }
  }

  #begin(date: string): SavedSet | undefined {
    const startMs = /^\d{4}-\d\d-\d\d$/.test(date) ? readTimestamp(`${date}T00:00:00Z`) : undefined;
    if (startMs === undefined) {
      throw this.#fault('Date', `'${date.slice(0, 80)}' is not a day such as 2026-01-14`);
    }
    if (this.#dates.has(date)) {
      throw this.#fault('Date', `${date} comes again after other days: sort the rows by it`);
    }
    const whole = this.#set;
    this.#dates.add(date);
    this.#date = date;
    this.#startMs = startMs;
    this.#set = new SavedSetBuilder();
    this.#set.notes.push(AVERAGES_NOTE, ...this.#unread());
    return whole.rows > 0 ? whole : undefined;
  }

  #unread(): string[] {
    const isKnown = (name: string): boolean =>
      ['Date', 'Labels'].includes(name) ||
      name.startsWith(LABEL_PREFIX) ||
      TEXTS.has(name) ||
      NUMBERS.has(name);
    const names = this.#columns.filter((name) => !isKnown(name));
    return names.length === 0 ? [] : [`columns that are not read: ${names.join(', ')}`];
  }

  #addRow(cells: ReadonlyMap<string, string>): void {
    const texts = Array.from(TEXTS, ([name, column]) => [column, cells.get(name) ?? ''] as const);
    const row = new SavedRow(texts.map(([, text]) => text).join('/'));
    for (const [column, text] of texts) if (text !== '') row.texts.set(column, text);
    if (!row.texts.has('cluster')) row.texts.set('cluster', this.#clusterId);
    row.texts.set('windowStart', new Date(this.#startMs).toISOString());
    row.texts.set('windowEnd', new Date(this.#startMs + DAY_MS).toISOString());
    for (const [name, field] of NUMBERS) row.numbers.set(field, this.#number(cells, name));
    row.pairs.set('labels', this.#labels(cells));
    allocate(row, 'cpuCores', ['cpuCoreUsageAverage', 'cpuCoreRequestAverage']);
    allocate(row, 'ramBytes', ['ramByteUsageAverage', 'ramByteRequestAverage']);
    const unexplainedUsd = giveRest(row);
    this.#set.add(setRow(row), unexplainedUsd);
  }

  /** An empty cell is 0: of columns that were added later, earlier days have none. */
  #number(cells: ReadonlyMap<string, string>, name: string): number {
    const text = cells.get(name) ?? '';
    if (text === '') return 0;
    const value = NUMBER.test(text) ? Number(text) : NaN;
    if (Number.isFinite(value)) return value;
    throw this.#fault(name, `'${text.slice(0, 80)}' is not a number`);
  }

  #labels(cells: ReadonlyMap<string, string>): Map<string, string> {
    const labels = new Map<string, string>();
    for (const [name, text] of cells) {
      if (name === 'Labels' && text !== '') {
        for (const [label, value] of this.#parsedLabels(text)) labels.set(label, value);
      } else if (name.startsWith(LABEL_PREFIX) && text !== '') {
        labels.set(name.slice(LABEL_PREFIX.length), text);
      }
    }
    return labels;
  }

  #parsedLabels(text: string): [string, string][] {
    const refuse = (cause?: unknown): Fault =>
      this.#fault('Labels', `'${text.slice(0, 80)}' is not a JSON object of texts`, cause);
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch (cause) {
      throw refuse(cause);
    }
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    if (!isObject) throw refuse();
    return Object.entries(parsed as Record<string, unknown>).map(([label, value]) => {
      if (typeof value !== 'string') throw refuse();
      return [label, value];
    });
  }

  #fault(column: string | undefined, what: string, cause?: unknown): Fault {
    const place = column === undefined ? '' : `, column ${column}`;
    return new Fault(`${this.#name}, row ${this.#row}${place}: ${what}`, { hint: HINT, cause });
  }
}

/** The greater average is at most what was allocated. */
function allocate({ numbers }: SavedRow, field: string, averages: readonly string[]): void {
  numbers.set(field, Math.max(...averages.map((name) => numbers.get(name) ?? 0)));
}

/**
 * The rest of a total beyond its parts belongs to load balancers, which have no column.
 * @returns by how many USD it lacks parts instead
 */
function giveRest({ numbers }: SavedRow): number {
  const total = numbers.get('totalCost') ?? 0;
  const known = COST_COLUMNS.reduce((sum, column) => sum + (numbers.get(column) ?? 0), 0);
  const rest = total - known;
  if (Math.abs(rest) <= ROUNDING * Math.max(Math.abs(total), Math.abs(known))) return 0;
  if (rest < 0) return -rest;
  numbers.set('loadBalancerCost', rest);
  return 0;
}

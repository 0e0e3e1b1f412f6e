/** Imports sets that others computed, all of them or none. */
import { basename } from 'node:path';
import { type Arena, numbersOf, type Owner, type Table, textColumn } from '../../columnar/index.ts';
import { Fault, layByCalendar, type Calendar, type Window } from '../../query/index.ts';
import { encodeSet, type EncodedSet, type SetKey, type Sets } from '../../storage/index.ts';
import { expired } from '../build/build-jobs.ts';
import { ALLOCATION_COLUMNS, ALLOCATIONS } from '../sets/set-files.ts';
import { mergedLabels } from '../row/merged-labels.ts';
import { inNameOrder } from '../sets/name-order.ts';
import type { SavedSet } from './saved-set.ts';
import { COST_COLUMNS } from '../row/schema.ts';

export interface SavedFile {
  readonly name: string;
  /** Read once, while they are stored. @throws {Fault} naming the file */
  readonly sets: AsyncIterable<SavedSet>;
}

export interface ImportOptions {
  readonly sets: Sets;
  readonly arena: Arena;
  /** Holds one set at a time. */
  readonly owner: Owner;
  /** The calendar whose days or hours the sets must be. */
  readonly calendar: Calendar;
  readonly nowMs: number;
  /** How long a server stores days. */
  readonly retentionMs: number;
  /** Whether sets that are stored already may be replaced. */
  readonly isReplacing: boolean;
  readonly onSet: (soFar: Imported) => void;
}

export interface Imported {
  readonly days: number;
  readonly hours: number;
  readonly rows: number;
  readonly warnings: readonly string[];
}

const HOURS_OF_DAY_MAX = 26;
/** How far totals may differ from the sums of their parts by rounding: of all costs, and in USD. */
const ROUNDING = 1e-4;
const ROUNDING_USD = 0.01;

/**
 * Stores every set of the files, in one change of the store.
 * @throws {Fault} naming the file and the set, and changes nothing
 * @throws {Unavailable} the store cannot be written, and nothing is changed
 */
export async function importSets(
  options: ImportOptions,
  files: readonly SavedFile[],
): Promise<Imported> {
  const importing = new Importing(options);
  await options.sets.write(importing.encoded(files));
  importing.warnings.push(...importing.expiring());
  return importing;
}

class Importing implements Imported {
  days = 0;
  hours = 0;
  rows = 0;
  readonly warnings: string[] = [];
  readonly #options: ImportOptions;
  readonly #stored: ReadonlySet<string>;
  /** The file that each set came from. */
  readonly #files: Map<string, string> = new Map();
  /** How many sets are beyond retention. */
  #expiring = 0;

  constructor(options: ImportOptions) {
    const whole = options.sets.list(ALLOCATIONS).filter(({ damage }) => damage === undefined);
    this.#options = options;
    this.#stored = new Set(whole.map(({ key }) => spanOf(key)));
  }

  /** The warning that a server will remove sets. */
  expiring(): string[] {
    if (this.#expiring === 0) return [];
    const count = `${this.#expiring} of ${this.days + this.hours} sets`;
    return [
      `${count} are older than what is kept: a server that fills the folder removes them; ` +
        '--retention keeps days longer, hours are kept for 49h',
    ];
  }

  async *encoded(files: readonly SavedFile[]): AsyncGenerator<EncodedSet> {
    for (const { name, sets } of files) {
      const before = this.rows;
      for await (const set of sets) yield await this.#encode(set, name);
      if (this.rows === before) {
        throw new Fault(`${name}: there is no row in it`, { hint: 'leave out empty answers' });
      }
    }
  }

  async #encode(set: SavedSet, file: string): Promise<EncodedSet> {
    const { calendar, arena, owner, nowMs, onSet } = this.#options;
    const key = { kind: ALLOCATIONS, startMs: set.startMs, endMs: set.endMs };
    const unit = this.#checked(set, file);
    const table = set.table(arena, owner);
    try {
      // Answers show the title: the folder of the file stays private.
      const title = basename(file);
      const warnings = [...set.notes, ...anomalies(set, table)].map((note) => `${title}: ${note}`);
      const encoded = await encodeSet({
        key,
        meta: {
          // A day that was saved before its end is not complete.
          state: set.endMs <= nowMs ? 'sealed' : 'partial',
          timezone: calendar.zone,
          createdMs: nowMs,
          source: `import ${title}`,
          warnings,
        },
        table: inNameOrder(arena, owner, table, ALLOCATION_COLUMNS),
        ...ALLOCATION_COLUMNS,
      });
      this[unit]++;
      if (expired(this.#options, [{ key }], nowMs).length > 0) this.#expiring++;
      this.rows += set.rows;
      this.warnings.push(...warnings);
      onSet(this);
      return encoded;
    } finally {
      arena.release(owner);
    }
  }

  #checked(set: SavedSet, file: string): 'days' | 'hours' {
    const { calendar, isReplacing } = this.#options;
    const span = spanOf(set);
    const unit = unitOf(set, calendar);
    if (unit === undefined) throw noDay(set, file, calendar);
    const other = this.#files.get(span);
    if (other !== undefined) {
      const where = other === file ? 'twice in it' : `in ${other} as well`;
      throw new Fault(`${file}: the set ${span} is ${where}`, { hint: 'which one counts?' });
    }
    if (!isReplacing && this.#stored.has(span)) {
      throw new Fault(`${file}: the set ${span} is stored already`, {
        hint: '--replace takes the one of the file instead',
      });
    }
    this.#files.set(span, file);
    return unit;
  }
}

function unitOf(set: Window, calendar: Calendar): 'days' | 'hours' | undefined {
  const day = {
    startMs: calendar.startOfDay(set.startMs),
    endMs: calendar.addDays(set.startMs, 1),
  };
  if (spanOf(day) === spanOf(set)) return 'days';
  const hours = layByCalendar(day, 'hour', calendar, HOURS_OF_DAY_MAX);
  return hours.some((hour) => spanOf(hour) === spanOf(set)) ? 'hours' : undefined;
}

function noDay(set: Window, file: string, calendar: Calendar): Fault {
  const startMs = calendar.startOfDay(set.startMs);
  const day = spanOf({ startMs, endMs: calendar.addDays(startMs, 1) });
  const { zone } = calendar;
  return new Fault(`${file}: the set ${spanOf(set)} is neither a day of ${zone} nor an hour`, {
    hint:
      `a day of ${zone} is ${day}: save with accumulate=false and windows of whole days, and ` +
      'name their zone by --timezone',
  });
}

/** Anomalies of a set, a sentence each. */
function anomalies({ unexplainedUsd }: SavedSet, table: Table): string[] {
  const notes: string[] = [];
  let usd = 0;
  for (const column of COST_COLUMNS) {
    for (const cost of table.numbers(column)?.values ?? []) usd += Math.abs(cost);
  }
  if (unexplainedUsd > Math.max(ROUNDING_USD, ROUNDING * usd)) {
    const off = unexplainedUsd.toFixed(2);
    notes.push(`totals differ by ${off} USD from the sums of their parts, which are what counts`);
  }
  const isNameless = numbersOf(textColumn(table, 'container'), (text) => (text === '' ? 1 : 0));
  const nameless = isNameless.reduce((sum, is) => sum + is, 0);
  if (nameless > 0) {
    notes.push(
      `${nameless} of ${table.rows} rows name no container: they were aggregated, and finer ` +
        'aggregates show them as __unallocated__',
    );
  }
  return [...notes, ...mergedLabels(table)];
}

function spanOf({ startMs, endMs }: Window | SetKey): string {
  return [startMs, endMs].map((ms) => new Date(ms).toISOString().replace('.000', '')).join(' to ');
}

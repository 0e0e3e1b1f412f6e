/** Stored bills: deliveries of sources by billing period, each replaced whole. */
import { withOwner } from '../../columnar/index.ts';
import { withoutCopies, type BillFile, type Substitute } from '../focus/index.ts';
import { Fault, type Clock, type Window } from '../../query/index.ts';
import type { SetInfo, Sets, StoredSet } from '../../storage/index.ts';
import {
  isSameSource,
  readBillKind,
  type BillKind,
  type Purpose,
  type SourceId,
} from './bill-key.ts';
import { contentTogether } from './content.ts';
import { Reading, type BillCompute } from './deliver.ts';
import type { BilledCost } from './tasks.ts';

export interface BillsOptions {
  readonly sets: Sets;
  readonly compute: BillCompute;
  readonly clock: Clock;
}

/** A source and its periods. */
export interface BillSource extends SourceId {
  readonly periods: readonly BillPeriod[];
}

export interface BillPeriod {
  /** Unix ms. */
  readonly startMs: number;
  /** End of its last charge, Unix ms. */
  readonly endMs: number;
  readonly rows: number;
  readonly storedMs: number;
  /** The delivery's label, or its files. */
  readonly from: string;
  /** Source of an earlier delivery with the same charges, which count once: there; absent: none. */
  readonly copyOf?: string;
}

export interface Arriving extends SourceId {
  readonly files: readonly BillFile[];
  /** The stored note of its origin; absent: the files' names. */
  readonly label?: string;
  /** ISO 4217, in capitals: rows of another are bad. */
  readonly currency: string;
  /** Whether bad rows are left out; else one refuses all files. */
  readonly isSkipping: boolean;
  readonly onBad: (sentence: string) => void;
  readonly onRows: (rows: number) => void;
}

export interface Delivered {
  /** Rows without those that were left out. */
  readonly rows: number;
  readonly bad: number;
  /** Starts of the billing periods, Unix ms. */
  readonly periods: readonly number[];
  /** Earlier rows of the same periods; one for each day of a charge. */
  readonly replacedRows: number;
  /** Files that were left out, and costs that were missing. */
  readonly warnings: readonly string[];
}

export interface Bills {
  /** Another number once anything below has changed. */
  readonly version: number;
  sources(): readonly BillSource[];
  /** Whether a charge can be within the window. */
  hasBill(as: Purpose, window: Window): boolean;
  /**
   * Parts of the window up to now that lie in no bill of any source, from the start of its billing
   * period to the end of its last charge; none where there is no bill at all.
   */
  untold(as: Purpose, window: Window): readonly Window[];
  /**
   * Sets with `BILL_COLUMNS`, to be read in workers by a `SetReader`: all with rows in the window,
   * perhaps with other rows too. Each row is within one day.
   * @throws {DamagedSet} when one of them is known to be damaged
   */
  stored(as: Purpose, window: Window): StoredSet[];
  /** USD within the window by provider id (`ResourceId`) in lower case. @throws {Unavailable} */
  billedByProvider(
    window: Window,
    cost: BilledCost,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>>;
  /**
   * Stores all rows of the files, in place of earlier deliveries of the source for the same billing
   * periods.
   * @throws {Fault} naming file, row and column, and stores nothing
   * @throws {Unavailable} the store cannot be written, and nothing is changed
   */
  deliver(arriving: Arriving, signal: AbortSignal): Promise<Delivered>;
}

type Part = SetInfo & {
  readonly bill: BillKind;
  /** Equal for equal charges of one purpose and period; '' where they are not known. */
  readonly content: string;
  readonly copyOf?: string | undefined;
};

export function openBills(options: BillsOptions): Bills {
  return new StoredBills(options);
}

class StoredBills implements Bills {
  readonly #options: BillsOptions;
  #parts: readonly Part[] = [];
  /** The version of the store when the parts were listed. */
  #listed = -1;
  #version = 0;

  constructor(options: BillsOptions) {
    this.#options = options;
  }

  get version(): number {
    this.#list();
    return this.#version;
  }

  sources(): readonly BillSource[] {
    const sources = groupBy(this.#list(), ({ bill }) => `${bill.as} ${bill.source}`);
    return [...sources.values()].flatMap((parts) => {
      const [first] = parts;
      if (first === undefined) return [];
      const periods = groupBy(parts, ({ bill }) => bill.periodMs);
      return [{ ...pick(first.bill), periods: [...periods].map(periodOf).toSorted(byStart) }];
    });
  }

  hasBill(as: Purpose, window: Window): boolean {
    return this.#within(as, window).length > 0;
  }

  untold(as: Purpose, { startMs, endMs }: Window): readonly Window[] {
    const sources = this.sources().filter((source) => source.as === as);
    if (sources.length === 0) return [];
    const untilMs = Math.min(endMs, this.#options.clock.nowMs());
    const untold: Window[] = [];
    let toldMs = startMs;
    for (const period of sources.flatMap(({ periods }) => periods).toSorted(byStart)) {
      const nextMs = Math.min(period.startMs, untilMs);
      if (nextMs > toldMs) untold.push({ startMs: toldMs, endMs: nextMs });
      toldMs = Math.max(toldMs, period.endMs);
    }
    if (untilMs > toldMs) untold.push({ startMs: toldMs, endMs: untilMs });
    return untold;
  }

  stored(as: Purpose, window: Window): StoredSet[] {
    return this.#within(as, window)
      .map(({ key }) => this.#options.sets.locate(key))
      .filter((stored) => stored !== undefined);
  }

  async billedByProvider(
    window: Window,
    cost: BilledCost,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>> {
    const { compute } = this.#options;
    const { startMs, endMs } = window;
    const sums = new Map<string, number>();
    const running = this.stored('cloud', window).map((stored) =>
      withOwner(compute, (owner) =>
        compute.pool.run('sumBilled', { sets: [stored], startMs, endMs, cost, owner }, signal),
      ),
    );
    // In the order of the sets: the sums do not depend on the number of workers.
    for (const part of await Promise.all(running)) {
      for (const [id, usd] of part) sums.set(id, (sums.get(id) ?? 0) + usd);
    }
    return sums;
  }

  async deliver(arriving: Arriving, signal: AbortSignal): Promise<Delivered> {
    const { as, source, currency, isSkipping, onBad, onRows } = arriving;
    const { files, copies } = await withoutCopies(arriving.files);
    const { sets, compute, clock } = this.#options;
    const names = files
      .map(({ name }) => name.replace(/^.*\//, ''))
      .join(', ')
      .slice(0, 1000);
    const from = arriving.label ?? names;
    const rules = {
      as,
      source,
      currency,
      isSkipping,
      from,
      storedMs: this.#nextMs(arriving),
      timezone: clock.calendar.zone,
    };
    const reading = new Reading({ compute, rules, signal, onBad, onRows });
    let replacedRows = 0;
    await sets.write(reading.sets(files), () => {
      if (reading.rows === 0) throw new Fault(`${from}: there is no charge in it`);
      const parts = this.#partsOf(arriving).filter(({ bill }) =>
        reading.periods.has(bill.periodMs),
      );
      replacedRows = parts.reduce((sum, { rows }) => sum + rows, 0);
      return this.#withCopies(parts).map(({ key }) => key);
    });
    const { rows, bad, substitutes } = reading;
    const periods = [...reading.periods].toSorted((a, b) => a - b);
    const warnings = [
      ...copies.map(({ name, of }) => `${name} is a copy of ${of}: its charges count once`),
      ...Array.from(substitutes.values(), (each) => substituteWarning(each, currency)),
      ...this.#copied(arriving, reading.periods),
    ];
    return { rows, bad, periods, replacedRows, warnings };
  }

  /** A time that no delivery of the source has, also where the clock stands still. */
  #nextMs(source: SourceId): number {
    const before = this.#partsOf(source);
    const last = before.reduce((most, { bill }) => Math.max(most, bill.storedMs), 0);
    return Math.max(this.#options.clock.nowMs(), last + 1);
  }

  #partsOf(source: SourceId): Part[] {
    return this.#list().filter(({ bill }) => isSameSource(bill, source));
  }

  /** Parts of a delivery that is replaced, and those of its copies: they would count in place of it. */
  #withCopies(parts: readonly Part[]): readonly Part[] {
    const contents = new Set(parts.map(({ content }) => content).filter((known) => known !== ''));
    return this.#list().filter((part) => parts.includes(part) || contents.has(part.content));
  }

  /** Warnings of charges that another source has delivered. */
  #copied(source: SourceId, periods: ReadonlySet<number>): string[] {
    const own = this.sources().find((known) => isSameSource(known, source));
    return (own?.periods ?? []).flatMap(({ startMs, copyOf }) => {
      if (copyOf === undefined || !periods.has(startMs)) return [];
      const day = new Date(startMs).toISOString().slice(0, 10);
      return [
        `the charges billed from ${day} are those of source ${copyOf}, and count once: ` +
          'deliver a bill under one source',
      ];
    });
  }

  #within(as: Purpose, { startMs, endMs }: Window): Part[] {
    return this.#list().filter(
      ({ bill, key, copyOf }) =>
        bill.as === as && copyOf === undefined && key.startMs < endMs && key.endMs > startMs,
    );
  }

  /** All parts; the version changes only with them, while the store's changes with every built day. */
  #list(): readonly Part[] {
    const { sets } = this.#options;
    if (sets.version === this.#listed) return this.#parts;
    const parts = sets.kinds().flatMap((kind): Part[] => {
      const bill = readBillKind(kind);
      if (bill === undefined) return [];
      return sets.list(kind).map((info) => ({ ...info, bill, content: '' }));
    });
    if (namesOf(parts) !== namesOf(this.#parts)) this.#version++;
    this.#listed = sets.version;
    return (this.#parts = withCopiesNamed(parts).toSorted(byName));
  }
}

function substituteWarning(
  { column, insteadOf, rows, amount }: Substitute,
  currency: string,
): string {
  const [shown, count] = [amount.toFixed(2), `${rows} row${rows === 1 ? '' : 's'}`];
  return (
    `${column} is empty in ${count}: ${insteadOf} counts for it, ${shown} ${currency}; ` +
    `FOCUS requires ${column} in each row: export the bill again if the provider fills it in`
  );
}

/** Each part with the content of its delivery, and the source of the first delivery that has the same. */
function withCopiesNamed(parts: readonly Part[]): Part[] {
  const deliveries = groupBy(parts, ({ bill: { as, source, periodMs } }) =>
    [as, source, periodMs].join(' '),
  );
  const named = [...deliveries.values()].flatMap((own) => {
    const rows = contentTogether(own.map(({ meta }) => meta.content));
    return own.map((part): Part => {
      const { as, periodMs } = part.bill;
      return { ...part, content: rows === undefined ? '' : [as, periodMs, rows].join(' ') };
    });
  });
  const firsts = new Map<string, BillKind>();
  for (const { content, bill } of named.toSorted(byAge))
    if (content !== '' && !firsts.has(content)) firsts.set(content, bill);
  return named.map((part) => {
    const first = firsts.get(part.content);
    if (first === undefined || isSameSource(first, part.bill)) return part;
    return { ...part, copyOf: first.source };
  });
}

function byAge({ bill: a }: Part, { bill: b }: Part): number {
  return a.storedMs - b.storedMs || (a.source < b.source ? -1 : 1);
}

function groupBy<Key>(parts: readonly Part[], keyOf: (part: Part) => Key): Map<Key, Part[]> {
  const groups = new Map<Key, Part[]>();
  for (const part of parts) {
    const group = groups.get(keyOf(part));
    if (group === undefined) groups.set(keyOf(part), [part]);
    else group.push(part);
  }
  return groups;
}

function namesOf(parts: readonly Part[]): string {
  return parts
    .map(({ key, damage = '' }) => `${key.kind}${damage}`)
    .sort()
    .join('\n');
}

function byName(a: Part, b: Part): number {
  return a.bill.part - b.bill.part || (a.key.kind < b.key.kind ? -1 : 1);
}

function byStart(a: BillPeriod, b: BillPeriod): number {
  return a.startMs - b.startMs;
}

function pick({ as, source }: BillKind): SourceId {
  return { as, source };
}

function periodOf([startMs, parts]: readonly [number, readonly Part[]]): BillPeriod {
  const copyOf = parts[0]?.copyOf;
  return {
    startMs,
    endMs: Math.max(...parts.map(({ key }) => key.endMs)),
    rows: parts.reduce((sum, { rows }) => sum + rows, 0),
    storedMs: Math.max(...parts.map(({ bill }) => bill.storedMs)),
    from: parts[0]?.meta.source ?? '',
    ...(copyOf === undefined ? {} : { copyOf }),
  };
}

/**
 * What external costs come to by day, for allocations: found by workers once for each day and bill,
 * as files never change.
 */
import { withOwner } from '../columnar/index.ts';
import { createHash } from 'node:crypto';
import type { Window } from '../query/index.ts';
import type { StoredSet } from '../storage/index.ts';
import { gather } from './gather.ts';
import { joinedQuery } from './joined-costs.ts';
import type { JoinTags } from './join-tags.ts';
import type { ExternalOptions } from './routes.ts';

export interface JoinedDaysOptions extends Pick<
  ExternalOptions,
  'charges' | 'pool' | 'arena' | 'owners'
> {
  readonly tags: JoinTags;
  /** Of all texts together, as bytes. */
  readonly budgetBytes: number;
}

/** Rows of one window: plain data. */
export interface JoinedRows {
  /** JoinedCost[] as JSON; '' for none. */
  readonly rows: string;
  /** The same for the same rows. */
  readonly id: string;
}

const NONE: JoinedRows = { rows: '', id: '' };
const NEVER: AbortSignal = new AbortController().signal;

export class JoinedDays {
  readonly #options: JoinedDaysOptions;
  /** The one used last at the end. */
  readonly #days: Map<string, Promise<JoinedRows>> = new Map();
  #bytes = 0;

  constructor(options: JoinedDaysOptions) {
    this.#options = options;
  }

  /**
   * Those who ask at the same time wait for one computation.
   * @param windows none of them over another
   * @throws {Unavailable} when a bill cannot be read
   */
  async rowsOf(windows: readonly Window[]): Promise<readonly JoinedRows[]> {
    const asked = windows.map((window) => ({
      window,
      stored: this.#options.charges.stored(window),
    }));
    const ids = asked.map(({ window, stored }) => idOf(window, stored));
    const missing = asked
      .map(({ window, stored }, i) => ({ window, stored, id: ids[i] ?? '' }))
      .filter(({ id, stored }) => stored.length > 0 && !this.#days.has(id))
      .toSorted((a, b) => a.window.startMs - b.window.startMs);
    if (missing.length > 0) this.#begin(missing);
    return await Promise.all(
      asked.map(({ stored }, i) =>
        stored.length === 0 ? Promise.resolve(NONE) : this.#used(ids[i] ?? ''),
      ),
    );
  }

  /** Reads each part of a bill once, for all windows together. */
  #begin(missing: readonly { window: Window; stored: readonly StoredSet[]; id: string }[]): void {
    const parts = new Map(
      missing.flatMap(({ stored }) => stored.map((set) => [placeOf(set), set])),
    );
    const found = this.#read(missing.map(({ window }) => window), [...parts.values()]); // prettier-ignore
    missing.forEach(({ id }, i) => {
      const rows = found.then((texts) => told(texts[i] ?? ''));
      this.#days.set(id, rows);
      rows.then((known) => this.#count(known), () => this.#days.delete(id)); // prettier-ignore
    });
  }

  #read(windows: readonly Window[], stored: readonly StoredSet[]): Promise<string[]> {
    const { pool, tags } = this.#options;
    const query = joinedQuery(windows);
    const asked = { stored, query, as: 'joined', signal: NEVER } as const;
    return withOwner(this.#options, async (owner) => {
      const gathered = await gather(this.#options, owner, asked);
      return await pool.run('joinedCosts', { ...gathered, query, tags, owner }, NEVER);
    });
  }

  #used(id: string): Promise<JoinedRows> {
    const known = this.#days.get(id);
    if (known === undefined) throw new Error('BUG: a day was not begun');
    this.#days.delete(id);
    this.#days.set(id, known);
    return known;
  }

  #count({ rows }: JoinedRows): void {
    this.#bytes += rows.length;
    if (this.#bytes <= this.#options.budgetBytes) return;
    // What is asked for again is found again.
    this.#days.clear();
    this.#bytes = 0;
  }
}

function told(rows: string): JoinedRows {
  if (rows === '') return NONE;
  return { rows, id: createHash('sha256').update(rows).digest('hex').slice(0, 32) };
}

function idOf({ startMs, endMs }: Window, stored: readonly StoredSet[]): string {
  return JSON.stringify([startMs, endMs, ...stored.map(placeOf)]);
}

function placeOf({ place, directory }: StoredSet): string {
  return JSON.stringify([place, directory]);
}

/**
 * External costs by day, for allocations: computed by workers once for each day and bill, as stored
 * files never change.
 */
import { NEVER } from '../../pool/index.ts';
import { gather } from '../charges/index.ts';
import { Cache, type CacheState } from '../../cache/index.ts';
import { withOwner } from '../../columnar/index.ts';
import { createHash } from 'node:crypto';
import type { Window } from '../../query/index.ts';
import type { StoredSet } from '../../storage/index.ts';
import { joinedQuery } from './joined-costs.ts';
import type { JoinTags } from './join-tags.ts';
import type { ExternalOptions } from './routes.ts';

export interface JoinedDaysOptions extends Pick<ExternalOptions, 'charges' | 'compute'> {
  readonly tags: JoinTags;
  /** Bytes of all cached texts together. */
  readonly budgetBytes: number;
}

/** Rows of one window: plain data. */
export interface JoinedRows {
  /** JoinedCost[] as JSON; '' for none. */
  readonly rows: string;
  /** Equal for equal rows. */
  readonly id: string;
}

interface Missing {
  readonly window: Window;
  readonly stored: readonly StoredSet[];
}

const NONE: JoinedRows = { rows: '', id: '' };

export class JoinedDays {
  readonly #options: JoinedDaysOptions;
  readonly #days: Cache<JoinedRows>;

  constructor(options: JoinedDaysOptions) {
    this.#options = options;
    this.#days = new Cache({
      budget: options.budgetBytes,
      sizeOf: ({ rows }, id) => rows.length + id.length,
    });
  }

  get state(): CacheState {
    return this.#days.state;
  }

  /**
   * Rows of each window. Requests at the same time wait for one computation.
   * @param windows without overlap
   * @throws {Unavailable} when a bill cannot be read
   */
  async rowsOf(windows: readonly Window[]): Promise<readonly JoinedRows[]> {
    const days = windows.map((window) => {
      const stored = this.#options.charges.stored(window);
      return { window, stored, id: idOf(window, stored) };
    });
    const missing = days
      .filter(({ id, stored }) => stored.length > 0 && !this.#days.has(id))
      .toSorted((a, b) => a.window.startMs - b.window.startMs);
    const read = missing.length > 0 ? this.#read(missing) : Promise.resolve([]);
    const places = new Map(missing.map(({ id }, i) => [id, i]));
    return await Promise.all(
      days.map(({ stored, id }) =>
        stored.length === 0
          ? Promise.resolve(NONE)
          : this.#days.open(id, async () => joinedRows((await read)[places.get(id) ?? -1])),
      ),
    );
  }

  untold(window: Window): readonly Window[] {
    return this.#options.charges.untold(window);
  }

  /** Reads each part of a bill once, for all windows together. */
  #read(missing: readonly Missing[]): Promise<string[]> {
    const { compute, tags } = this.#options;
    const parts = new Map(
      missing.flatMap(({ stored }) => stored.map((set) => [placeOf(set), set])),
    );
    const query = joinedQuery(missing.map(({ window }) => window));
    const stored = [...parts.values()];
    return withOwner(compute, async (owner) => {
      const wanted = { stored, query, spec: 'joined', owner, signal: NEVER } as const;
      const charges = await gather(compute, 'externalSlice', wanted);
      return await compute.pool.run('joinedCosts', { ...charges, tags }, NEVER);
    });
  }
}

function joinedRows(rows: string | undefined): JoinedRows {
  if (rows === undefined) throw new Error('BUG: a day was not read');
  if (rows === '') return NONE;
  return { rows, id: createHash('sha256').update(rows).digest('hex').slice(0, 32) };
}

function idOf({ startMs, endMs }: Window, stored: readonly StoredSet[]): string {
  return JSON.stringify([startMs, endMs, ...stored.map(placeOf)]);
}

function placeOf({ place, directory }: StoredSet): string {
  return JSON.stringify([place, directory]);
}

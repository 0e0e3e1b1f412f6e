/** The sources of collections' costs. */
import type { Filter, FoundCaveats, WarningLike, Window } from '../query/index.ts';
import type { DayEntries } from './entries.ts';
import type { Idle, IdleNames } from './idle.ts';
import type { Rows } from './selection.ts';

/** The days of a query. */
export interface Times {
  /** Whole days, newest first. */
  readonly days: readonly Window[];
  readonly nowMs: number;
  readonly signal: AbortSignal;
  /** What is not known of the days; readers of them add to it. */
  readonly caveats: FoundCaveats;
  /** Whether the overhead of clusters is shared among all rows. */
  readonly shareTenancyCosts: boolean;
}

/** Entries of each day, with warnings. */
export interface Entries {
  /** Oldest first. */
  readonly days: readonly DayEntries[];
  readonly warnings: readonly WarningLike[];
}

export interface KubernetesCosts {
  /** The rows with their share of idle. @throws {Unavailable} */
  selected(times: Times, rows: Rows, idle: Idle): Promise<Entries>;
  /**
   * The rows outside of a selection that match a filter, and idle that no collection is charged for:
   * under `hide` all idle that the filter's rows would be charged for.
   * @param aggregate absent: entries have no name
   * @throws {Unavailable}
   */
  outside(times: Times, query: RowsQuery, idle: Idle): Promise<Entries>;
  /**
   * The same by name, all days added up, highest cost first, without resources.
   * @param most items, not counting idle that no collection is charged for; null: all
   * @throws {Unavailable}
   */
  items(times: Times, query: RowsQuery, idle: Idle, most: number | null): Promise<Items>;
}

export interface Item {
  /** USD */
  readonly cost: number;
  readonly name: string;
}

export interface Items {
  readonly items: readonly Item[];
  /** The number of all items, those that are left out included. */
  readonly count: number;
}

export interface RowsQuery {
  readonly rows: Rows;
  readonly filter: Filter | null;
  /** The keys that name entries, as in the parameter `aggregate`; '': entries have no name. */
  readonly aggregate: string;
  /** Under `hide`, how idle is named in items; absent: `one`. */
  readonly idleNames?: IdleNames;
  /** Under `hide`, idle under a filter is that of the rows' nodes, else of their clusters; absent: no. */
  readonly idleByNode?: boolean;
}

export interface CloudCosts {
  /** @throws {Fault} naming the parameter and the place */
  readFilter(text: string, parameter: string): Filter | null;
  /**
   * @param resources the ones that Kubernetes rows name; items of other resources have none
   * @throws {Fault} for an unknown aggregate @throws {Unavailable}
   */
  costs(times: Times, query: RowsQuery, resources: ReadonlySet<string>): Promise<Entries>;
}

/** Where collections take costs from. */
import type { Filter, Window } from '../query/index.ts';
import type { DayEntries } from './entries.ts';
import type { Idle } from './idle.ts';
import type { Rows } from './selection.ts';

/** When costs are asked for. */
export interface Times {
  /** Whole days, newest first. */
  readonly days: readonly Window[];
  readonly nowMs: number;
  readonly signal: AbortSignal;
  /** Why a part of the days is not known, as those who read them find out; they add to it. */
  readonly lacking: Set<string>;
}

/** Entries of each day, and what is to be told of them. */
export interface Entries {
  /** Oldest first. */
  readonly days: readonly DayEntries[];
  readonly warnings: readonly string[];
}

export interface KubernetesCosts {
  /** With the idle that they bear. @throws {Unavailable} */
  selected(times: Times, rows: Rows, idle: Idle): Promise<Entries>;
  /**
   * Of the rows beside a selection those of a filter, and of idle what no collection bears: under
   * `hide` all that the filter's rows would bear.
   * @param aggregate absent: entries have no name
   * @throws {Unavailable}
   */
  beside(times: Times, asked: BesideAsked, idle: Idle): Promise<Entries>;
  /**
   * The same by name, all days added up, the dearest first; no resource can be told.
   * @param most items, beside `__idle__` that no collection bears; null: all
   * @throws {Unavailable}
   */
  items(times: Times, asked: BesideAsked, idle: Idle, most: number | null): Promise<Items>;
}

export interface Item {
  /** USD */
  readonly cost: number;
  readonly name: string;
}

export interface Items {
  readonly items: readonly Item[];
  /** Of all, told or not. */
  readonly count: number;
}

export interface BesideAsked {
  readonly rows: Rows;
  readonly filter: Filter | null;
  /** What entries are named by, as `aggregate` has it; '' for nothing. */
  readonly aggregate: string;
}

export interface CloudCosts {
  /** @throws {Fault} naming the parameter and the place */
  readFilter(text: string, parameter: string): Filter | null;
  /**
   * @param resources those told apart, which Kubernetes rows name; others have none
   * @throws {Fault} for an aggregate that there is not @throws {Unavailable}
   */
  costs(times: Times, asked: BesideAsked, resources: ReadonlySet<string>): Promise<Entries>;
}

/** What a set is of, what is known of it, and the error for one that is damaged. */
import { spanText, Unavailable } from '../query/index.ts';

export interface SetKey {
  /** Lower-case letters, digits and dashes: `allocations`, `assets`, `usage`. */
  readonly kind: string;
  /** Unix milliseconds; the end is exclusive. */
  readonly startMs: number;
  readonly endMs: number;
}

/** What is known of a set beside its rows. */
export interface SetMeta {
  /** A sealed set is final; a partial one will be replaced. */
  readonly state: 'sealed' | 'partial';
  /** IANA zone whose days the set is aligned to. */
  readonly timezone: string;
  readonly createdMs: number;
  /** What it was made of, such as the name of a metrics store. */
  readonly source: string;
  readonly warnings: readonly string[];
  /** Until when samples are in it; absent where it was made of something else. */
  readonly untilMs?: number;
  /** A part of what the stretch held is not known, and not in the rows. */
  readonly hasGaps?: boolean;
}

/** A set whose bytes are not those that were written. */
export class DamagedSet extends Unavailable {
  readonly key: SetKey;
  readonly reason: string;
  constructor(key: SetKey, reason: string) {
    super(`the stored ${nameOf(key)} are damaged: ${reason}`, {
      hint: 'they are made again where the metrics store still has the samples',
    });
    this.name = 'DamagedSet';
    this.key = key;
    this.reason = reason;
  }
}

/** One text a key. */
export function idOf({ kind, startMs, endMs }: SetKey): string {
  return `${kind}/${startMs}/${endMs}`;
}

/** For people: `allocations of 2024-05-01T00:00:00.000Z to 2024-05-02T00:00:00.000Z`. */
export function nameOf(key: SetKey): string {
  return `${key.kind} of ${spanText(key)}`;
}

/** @throws {Error} for a key that no set can have */
export function checkKey({ kind, startMs, endMs }: SetKey): void {
  const areTimes = Number.isSafeInteger(startMs) && Number.isSafeInteger(endMs);
  if (/^[a-z][a-z0-9-]{0,63}$/.test(kind) && areTimes && startMs < endMs) return;
  throw new Error(`BUG: no set can be ${kind} of ${startMs} to ${endMs}`);
}

interface Keyed {
  readonly key: SetKey;
}

/** The kinds of sets, each once. */
export function kindsOf(sets: Iterable<Keyed>): string[] {
  return [...new Set(Array.from(sets, ({ key }) => key.kind))];
}

/** Sets of a kind, by start, then end. */
export function setsOfKind<Set extends Keyed>(sets: Iterable<Set>, kind: string): Set[] {
  return Array.from(sets)
    .filter(({ key }) => key.kind === kind)
    .toSorted(byTime);
}

function byTime(a: Keyed, b: Keyed): number {
  return a.key.startMs - b.key.startMs || a.key.endMs - b.key.endMs;
}

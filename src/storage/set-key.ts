/** Keys of sets, their metadata, and the error for a damaged set. */
import { spanText, Unavailable, type StoredWarnings } from '../query/index.ts';

export interface SetKey {
  /** Lower-case letters, digits and dashes: `allocations`, `assets`, `usage`. */
  readonly kind: string;
  /** Unix milliseconds; the end is exclusive. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Metadata of a set. */
export interface SetMeta extends StoredWarnings {
  /** A sealed set is final; a partial one will be replaced. */
  readonly state: 'sealed' | 'partial';
  /** IANA zone whose days the set is aligned to. */
  readonly timezone: string;
  readonly createdMs: number;
  /** Its origin, such as the name of a metrics store. */
  readonly source: string;
  /** The end of its samples, Unix ms; absent where it was not made of samples. */
  readonly untilMs?: number;
  /** Whether a part of its time is not known, and not in the rows. */
  readonly hasGaps?: boolean;
  /** USD of the nodes of its time by the source of their prices; absent where it is not known. */
  readonly nodeCosts?: Readonly<Record<string, number>>;
  /** The set whose sums it holds; absent: it is no set of sums. */
  readonly sumsOf?: SumsOf;
  /** Hash of a bill's rows in any order; absent: unknown. */
  readonly content?: string;
}

/** The rows that sums were made of, and how. */
export interface SumsOf {
  /** The place of the directory in the file of the rows, and its checksum: those of no other bytes. */
  readonly directory: readonly [at: number, bytes: number, crc32: number];
  /** Sums of another form count for nothing. */
  readonly form: string;
  /** The costs that its tenants share, which it has the shares of; '' for none. */
  readonly charges: string;
}

/** A set with other bytes than were written. */
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

/** A text for a key: equal for equal keys. */
export function idOf({ kind, startMs, endMs }: SetKey): string {
  return `${kind}/${startMs}/${endMs}`;
}

/** The key in messages: `allocations of 2024-05-01T00:00:00.000Z to 2024-05-02T00:00:00.000Z`. */
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

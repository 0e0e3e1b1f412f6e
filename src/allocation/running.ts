/** Which workloads ran in a set, when, and where their sums are. */
import { createFrame, type ColumnSpec, type Workspace } from '../columnar/index.ts';
import { coverage } from './coverage.ts';
import type { Members } from './members.ts';

export interface SetOfLedger {
  readonly startMs: number;
  readonly endMs: number;
  /** Its place among the ledger's sets. */
  readonly index: number;
  /** 0 exact, else the grid's distance. */
  readonly resolutionMs: number;
}

/** Columns in the arena, one row a workload that ran. */
export interface Running {
  /** Rows of the members' frame. */
  readonly members: Uint32Array;
  /** Rows of the ledger. */
  readonly rows: Uint32Array;
  readonly startsMs: Float64Array;
  readonly endsMs: Float64Array;
  /** Shortest and longest possible life over what is billed. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** Gives the columns back. */
  readonly free: () => void;
}

const COLUMNS: readonly ColumnSpec[] = [
  ...['members', 'rows'].map((name): ColumnSpec => ({ name, type: 'u32' })),
  ...['startsMs', 'endsMs', 'least', 'most'].map((name): ColumnSpec => ({ name, type: 'f64' })),
];

/** @param isCharged whether something was charged to a row of the ledger */
export function runningIn(
  { engine: { arena }, owner }: Workspace,
  { frame, stretches }: Members,
  set: SetOfLedger,
  isCharged: (row: number) => boolean,
): Running {
  const own = createFrame(arena, COLUMNS, frame.rows, owner);
  const members = own.u32('members');
  const rows = own.u32('rows');
  const [startsMs, endsMs] = [own.f64('startsMs'), own.f64('endsMs')];
  const [least, most] = [own.f64('least'), own.f64('most')];
  const row = frame.u32('row');
  const firstSet = frame.u32('firstSet');
  const sets = frame.u32('sets');
  const stretch = frame.u32('stretch');
  const count = frame.u32('stretches');
  const uncertaintyMs = frame.f64('endUncertaintyMs');
  const isUnmounted = frame.u32('isUnmounted');
  let ran = 0;
  for (let i = 0; i < frame.rows; i++) {
    const place = set.index - (firstSet[i] ?? 0);
    if (place < 0 || place >= (sets[i] ?? 0)) continue;
    const first = stretch[i] ?? 0;
    const lives = stretches.subarray(2 * first, 2 * (first + (count[i] ?? 0)));
    const span = coverage(lives, set, uncertaintyMs[i]);
    if (!(span.startMs < span.endMs)) continue;
    const at = (row[i] ?? 0) + place;
    if (isUnmounted[i] === 1 && !isCharged(at)) continue;
    members[ran] = i;
    rows[ran] = at;
    startsMs[ran] = span.startMs;
    endsMs[ran] = span.endMs;
    least[ran] = span.leastMs / span.coveredMs;
    most[ran] = span.mostMs / span.coveredMs;
    ran++;
  }
  return {
    members: members.subarray(0, ran),
    rows: rows.subarray(0, ran),
    startsMs: startsMs.subarray(0, ran),
    endsMs: endsMs.subarray(0, ran),
    least: least.subarray(0, ran),
    most: most.subarray(0, ran),
    free: () => arena.free(own.address, own.bytes),
  };
}

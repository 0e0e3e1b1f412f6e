/** Which workloads ran in a set, when, and where their sums are. */
import {
  columnSpecs,
  createFrame,
  rowsOfValue,
  runningIn,
  type ColumnSpec,
  type LifeSet,
  type RunColumns,
  type Workspace,
} from '../../columnar/index.ts';
import type { Members } from '../ledger/members.ts';

/** `index`: its place among the ledger's sets. */
export type SetOfLedger = LifeSet;

/** Columns in the arena, one row a workload that ran: its row of the members' frame and of the ledger. */
export interface Running extends RunColumns {
  /** Gives the columns back. */
  readonly free: () => void;
}

const COLUMNS: readonly ColumnSpec[] = columnSpecs({
  texts: ['members', 'rows', 'leftOut'],
  numbers: ['startsMs', 'endsMs', 'scale', 'lessMs', 'moreMs'],
});

/** @param isCharged whether something was charged to a row of the ledger */
export function runningMembers(
  space: Workspace,
  { frame, stretches: timesMs }: Members,
  set: SetOfLedger,
  isCharged: (row: number) => boolean,
  which: 'seen' | 'unseen' = 'seen',
): Running {
  const { arena } = space.engine;
  const own = createFrame(arena, COLUMNS, frame.rows, space.owner);
  const row = frame.u32('row');
  const firstSet = frame.u32('firstSet');
  const leftOut = own.u32('leftOut');
  const isUnmounted = frame.u32('isUnmounted');
  leftOut.set(isUnmounted);
  for (const member of rowsOfValue(space, isUnmounted, 1)) {
    const at = (row[member] ?? 0) + set.index - (firstSet[member] ?? 0);
    if (isCharged(at)) leftOut[member] = 0;
  }
  const runs = {
    members: own.u32('members'),
    rows: own.u32('rows'),
    startsMs: own.f64('startsMs'),
    endsMs: own.f64('endsMs'),
    scale: own.f64('scale'),
    lessMs: own.f64('lessMs'),
    moreMs: own.f64('moreMs'),
  };
  const lives = {
    row,
    firstSet,
    leftOut,
    timesMs,
    sets: frame.u32('sets'),
    stretch: frame.u32('stretch'),
    stretches: frame.u32('stretches'),
    startUncertaintiesMs: frame.f64('startUncertaintyMs'),
    endUncertaintiesMs: frame.f64('endUncertaintyMs'),
    gapUncertaintiesMs: frame.f64('gapUncertaintyMs'),
  };
  const ran = runningIn(space, lives, set, runs, which);
  return {
    members: runs.members.subarray(0, ran),
    rows: runs.rows.subarray(0, ran),
    startsMs: runs.startsMs.subarray(0, ran),
    endsMs: runs.endsMs.subarray(0, ran),
    scale: runs.scale.subarray(0, ran),
    lessMs: runs.lessMs.subarray(0, ran),
    moreMs: runs.moreMs.subarray(0, ran),
    free: () => arena.free(own.address, own.bytes),
  };
}

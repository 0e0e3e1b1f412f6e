/** Text around the sets of a JSON answer: `data`, in the shape of each endpoint. */
import { timestamp } from '../../export/index.ts';
import type { Window } from '../../query/index.ts';

export interface Envelope {
  readonly head: string;
  /** Before a set's rows, and after them; a comma comes between sets. */
  readonly open: string;
  readonly close: (place: number) => string;
  readonly tail: string;
}

/** `[{rows}, …]` */
export const LIST: Envelope = { head: '[', open: '{', close: () => '}', tail: ']' };

/** `{rows}`: of one set. */
export const SINGLE: Envelope = { head: '', open: '{', close: () => '}', tail: '' };

/**
 * `{"step":ns,"sets":[{"allocations":{rows},"window":{…}}, …],"window":{…}}`, as
 * core/pkg/opencost/summaryallocation.go has it. The step is the first set's length, in
 * nanoseconds; 0 without sets.
 * @param sets oldest first
 */
export function range(sets: readonly Window[], whole: Window): Envelope {
  const [first] = sets;
  const stepNs = first ? BigInt(first.endMs - first.startMs) * 1_000_000n : 0n;
  return {
    head: `{"step":${stepNs},"sets":[`,
    open: '{"allocations":{',
    close: (place) => `},"window":${windowJson(sets[place] ?? whole)}}`,
    tail: `],"window":${windowJson(whole)}}`,
  };
}

/** `{"start":…,"end":…}` */
export function windowJson({ startMs, endMs }: Window): string {
  return `{"start":"${timestamp(startMs)}","end":"${timestamp(endMs)}"}`;
}

/** What came of questions while processes were killed. */
import type { Question } from './expected.ts';
import { digestOf } from './expected.ts';

/** An answer, or how it did not come. */
export type Came =
  | { readonly status: number; readonly retryAfter: string | undefined; readonly body: Buffer }
  /** `isBegun`: the head had come. `isGone`: the server was killed meanwhile. */
  | { readonly broken: string; readonly isBegun: boolean; readonly isGone: boolean };

export interface Counts {
  /** 200, with what is expected where all is there. */
  right: number;
  /** 200, and says that the day is not there. */
  absent: number;
  /** With `Retry-After`. */
  refused: number;
  /** The server was killed, before the head of the answer and after. */
  gone: number;
  cut: number;
}

const FAILURES_TOLD = 20;

export class Tally {
  readonly counts: Map<string, Counts> = new Map();
  /** The first of these. */
  readonly failures: string[] = [];
  failed = 0;
  /** Clocks at which the day that goes on was seen. */
  readonly clocks: Set<number> = new Set();
  #lastRightMs: number = performance.now();
  /** The longest time without a right answer from any server. */
  longestGapMs = 0;

  /** @returns the state that was answered, undefined for any other outcome */
  add(question: Question, server: string, came: Came): 'absent' | number | undefined {
    const counts = this.#countsOf(question.kind);
    if ('broken' in came) {
      if (!came.isGone) this.fail(`${server} ${question.path}: ${came.broken}`);
      else if (came.isBegun) counts.cut++;
      else counts.gone++;
      return undefined;
    }
    const { status, retryAfter, body } = came;
    if (status === 503 && /^\d+$/.test(retryAfter ?? '')) {
      counts.refused++;
      return undefined;
    }
    const state = status === 200 ? question.states.get(digestOf(body)) : undefined;
    if (state === undefined) {
      const what = status === 200 ? 'another body than any that is expected' : `status ${status}`;
      this.fail(`${server} ${question.path}: ${what}: ${body.toString('utf8', 0, 300)}`);
      return undefined;
    }
    if (state === 'absent') counts.absent++;
    else {
      counts.right++;
      this.clocks.add(state);
      const nowMs = performance.now();
      this.longestGapMs = Math.max(this.longestGapMs, nowMs - this.#lastRightMs);
      this.#lastRightMs = nowMs;
    }
    return state;
  }

  fail(what: string): void {
    this.failed++;
    if (this.failures.length < FAILURES_TOLD) this.failures.push(what);
  }

  #countsOf(kind: string): Counts {
    const counts = this.counts.get(kind) ?? { right: 0, absent: 0, refused: 0, gone: 0, cut: 0 };
    this.counts.set(kind, counts);
    return counts;
  }
}

/** How an answer tells of whole stretches of its window that are not stored. */
import { spanText, type Window } from '../../query/index.ts';

const SENTENCE = /^\S+ to \S+ is not stored: the answer lacks it$/;

export function notStored(window: Window): string {
  return `${spanText(window)} is not stored: the answer lacks it`;
}

/** Whether a warning says nothing else than that: the sets that are there are whole. */
export function isNotStored(warning: string): boolean {
  return SENTENCE.test(warning);
}

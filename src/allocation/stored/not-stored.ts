/** The warning for stretches of a window that are not stored. */
import { spanText, type Window } from '../../query/index.ts';

const SENTENCE = /^\S+ to \S+ is not stored: the answer lacks it$/;

export function notStored(window: Window): string {
  return `${spanText(window)} is not stored: the answer lacks it`;
}

/** Whether a warning is this one: then the sets that are there are complete. */
export function isNotStored(warning: string): boolean {
  return SENTENCE.test(warning);
}

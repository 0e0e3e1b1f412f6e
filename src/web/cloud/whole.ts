/** Answers that are drawn together, so that nothing moves while the rest of them comes. */
import type { Shown } from '../answers.ts';

/** The first answer, once the others are there or have failed. */
export function whole<T>(first: Shown<T>, others: readonly Shown<unknown>[]): Shown<T> {
  const isThere = others.every(({ answer, error }) => answer !== undefined || error !== undefined);
  return {
    answer: isThere ? first.answer : undefined,
    error: first.error ?? others.find(({ error }) => error !== undefined)?.error,
    isLoading: first.isLoading || others.some(({ isLoading }) => isLoading),
  };
}

import { readBoolean } from '../text/boolean.ts';
import { refuse } from '../fault.ts';

/** How sets are summed: not at all, into one set, or into one set for each calendar unit. */
export type Accumulate = 'none' | 'all' | 'hour' | 'day' | 'week' | 'month' | 'quarter';

const UNITS: ReadonlyMap<string, Accumulate> = new Map<string, Accumulate>([
  ['none', 'none'],
  ['all', 'all'],
  ['hour', 'hour'],
  ['day', 'day'],
  ['week', 'week'],
  ['month', 'month'],
  ['quarter', 'quarter'],
]);

/**
 * Reads `accumulate`: a boolean form (true is all, false is none) or a word of `Accumulate`, in
 * any case; empty is none.
 *
 * @param accepted the words that the endpoint offers
 * @throws Fault for other text, and for words that the endpoint does not offer
 */
export function parseAccumulate(
  text: string,
  accepted: readonly Accumulate[] = ['none', 'all'],
): Accumulate {
  const word = text.trim().toLowerCase();
  if (word === '') return 'none';
  const boolean = readBoolean(word);
  const value = boolean === undefined ? UNITS.get(word) : boolean ? 'all' : 'none';
  if (value !== undefined && accepted.includes(value)) return value;
  const units = accepted.filter((unit) => unit !== 'none' && unit !== 'all');
  throw refuse('accumulate', text, `one of ${['true', 'false', ...units].join(', ')}`, 'true');
}

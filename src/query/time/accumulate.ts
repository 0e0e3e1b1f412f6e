import { readBoolean } from '../text/boolean.ts';
import { refuse } from '../fault.ts';

/** Units of the calendar, and numbers of days that are counted back from the window's end. */
export const ACCUMULATE_UNITS = [
  'hour',
  'day',
  'week',
  'month',
  'quarter',
  'weeknow',
  'monthnow',
  'quarternow',
] as const;

export type CalendarUnit = (typeof ACCUMULATE_UNITS)[number];

/** How sets are summed: not at all, into one set, or into one set for each unit. */
export type Accumulate = 'none' | 'all' | CalendarUnit;

/** Days of a set whose unit is counted back from the window's end. */
export const ROLLING_DAYS: Readonly<Partial<Record<Accumulate, number>>> = {
  weeknow: 7,
  monthnow: 30,
  quarternow: 90,
};

const WORDS: readonly Accumulate[] = ['none', 'all', ...ACCUMULATE_UNITS];

/**
 * Reads `accumulate`: a boolean form (true is all, false is none) or a word of `Accumulate`, in
 * any case; empty is none.
 *
 * @param accepted the words that the endpoint offers
 * @param parameter its name, if it is not `accumulate`
 * @throws Fault for other text, and for words that the endpoint does not offer
 */
export function parseAccumulate(
  text: string,
  accepted: readonly Accumulate[] = ['none', 'all'],
  parameter: string = 'accumulate',
): Accumulate {
  const word = text.trim().toLowerCase();
  if (word === '') return 'none';
  const boolean = readBoolean(word);
  const known = WORDS.find((each) => each === word);
  const value = boolean === undefined ? known : boolean ? 'all' : 'none';
  if (value !== undefined && accepted.includes(value)) return value;
  const units = accepted.filter((unit) => unit !== 'none' && unit !== 'all');
  const names = ['true', 'false', ...units];
  throw refuse(parameter, text, `one of ${names.join(', ')}`, 'true', names);
}

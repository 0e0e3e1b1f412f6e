/** Tests whether a text matches one of many values, in time that hardly depends on their number. */
import type { Operator } from './filter.ts';
import { containsAny } from './contains-any.ts';

export type TextTest = (text: string) => boolean;

/** Case-sensitive, as in OpenCost. @param values one or more */
export function textTest(operator: Operator, values: readonly string[]): TextTest {
  return TESTS[operator](values);
}

const TESTS: Readonly<Record<Operator, (values: readonly string[]) => TextTest>> = {
  equals(values) {
    const known = new Set(values);
    return (text) => known.has(text);
  },
  contains: containsAny,
  startsWith: startsWithAny,
  endsWith(values) {
    const test = startsWithAny(values.map(reversed));
    return (text) => test(reversed(text));
  },
};

/**
 * Values that start with another value are removed. Then no value lies between a text and the value it
 * starts with: the greatest value that is not above the text is the only one to try.
 */
function startsWithAny(values: readonly string[]): TextTest {
  const sorted: string[] = [];
  for (const value of values.toSorted(byUnit)) {
    const last = sorted.at(-1);
    if (last === undefined || !value.startsWith(last)) sorted.push(value);
  }
  return (text) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] ?? '') <= text) low = middle + 1;
      else high = middle;
    }
    const value = sorted[low - 1];
    return value !== undefined && text.startsWith(value);
  };
}

/** By UTF-16 code units, as `<=` compares. */
function byUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The text reversed by UTF-16 code units: only for comparison with other such texts. */
function reversed(text: string): string {
  let result = '';
  for (let at = text.length - 1; at >= 0; at--) result += text.charAt(at);
  return result;
}

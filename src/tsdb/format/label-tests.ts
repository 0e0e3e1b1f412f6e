/** Matchers against labels that are numbers of texts: each text is tested once. */
import type { Matcher } from '../../metrics/index.ts';
import { compileMatchers, type Labels } from '../../metrics/matching.ts';
import type { SymbolTable } from './symbol-table.ts';

/** @param labels symbols of names and values in turn */
export type LabelTest = (labels: readonly number[]) => boolean;

/**
 * As src/metrics matches: an absent label is empty.
 * @param others labels of series that do not have them
 * @throws {Fault} for a wrong regular expression
 */
export function matchingOf(
  matchers: readonly Matcher[],
  symbols: SymbolTable,
  others: Labels = {},
): LabelTest[] {
  return matchers.map((matcher) => {
    const test = compileMatchers([matcher]);
    const matches = (text: string): boolean => test({ [matcher.label]: text });
    const isAbsentMatched = test(others);
    const name = symbols.find(matcher.label);
    const known = new Map<number, boolean>();
    return (labels) => {
      for (let i = 0; i < labels.length; i += 2) {
        if (labels[i] !== name) continue;
        const value = labels[i + 1] ?? 0;
        let isMatched = known.get(value);
        if (isMatched === undefined) {
          isMatched = matches(symbols.text(value));
          known.set(value, isMatched);
        }
        return isMatched;
      }
      return isAbsentMatched;
    };
  });
}

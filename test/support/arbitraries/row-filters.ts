/** Filters as texts, of fields and the values that rows have. */
import fc from 'fast-check';

/** One comparison, or two that are joined. */
export function anyFilterOf(
  fields: readonly (readonly [string, readonly string[]])[],
): fc.Arbitrary<string> {
  const comparison = fc.constantFrom(...fields).chain(([field, values]) =>
    fc
      .record({
        sign: fc.constantFrom(':', '!:', '~:', '<~:', '~>:', '!<~:'),
        some: fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }),
        cut: fc.nat({ max: 6 }),
      })
      .map(({ sign, some, cut }) => {
        const isPart = /[~<>]/.test(sign);
        const shown = some.map((value) => JSON.stringify(isPart ? value.slice(0, cut + 1) : value));
        return `${field}${sign}${shown.join(',')}`;
      }),
  );
  const joined = (joint: string): fc.Arbitrary<string> =>
    fc.tuple(comparison, comparison).map((parts) => parts.map((part) => `(${part})`).join(joint));
  return fc.oneof({ weight: 4, arbitrary: comparison }, joined('+'), joined('|'));
}

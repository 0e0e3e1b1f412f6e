/**
 * Warnings of an answer in whose body there is no place for them: `x-prorata-warnings`, and
 * `x-prorata-partial` where a part of its window is not known.
 */
export function warningsHeader(
  warnings: readonly string[],
  isPartial: boolean,
): Record<string, string> {
  const told = warnings.join('; ').replaceAll(/[^\u0020-\u007e]/g, '?');
  return {
    ...(told === '' ? {} : { 'x-prorata-warnings': told }),
    ...(isPartial ? { 'x-prorata-partial': 'true' } : {}),
  };
}

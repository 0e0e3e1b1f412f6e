/**
 * Warnings of an answer without a place for them in its body: `x-prorata-warnings`, and
 * `x-prorata-partial` if a part of its window is missing.
 */
export function warningsHeader(
  warnings: readonly string[],
  isPartial: boolean,
): Record<string, string> {
  const text = warnings.join('; ').replaceAll(/[^\u0020-\u007e]/g, '?');
  return {
    ...(text === '' ? {} : { 'x-prorata-warnings': text }),
    ...(isPartial ? { 'x-prorata-partial': 'true' } : {}),
  };
}

/** `warnings` of a JSON object, which has none where there is nothing to warn of. */
export function withWarnings(warnings: readonly string[]): {
  readonly warnings?: readonly string[];
} {
  return warnings.length > 0 ? { warnings } : {};
}

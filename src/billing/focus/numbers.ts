/** Numbers as bills spell them: plain, or with an exponent. */
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** @returns undefined for another form, and beyond what a double can be */
export function parseNumber(text: string): number | undefined {
  const trimmed = text.trim();
  const value = NUMBER.test(trimmed) ? Number(trimmed) : NaN;
  return Number.isFinite(value) ? value : undefined;
}

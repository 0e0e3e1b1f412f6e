/** Tags as bills have them: a flat JSON object, now and then without its braces. */

/** @returns a JSON object of texts, or undefined when the text is none */
export function readTags(text: string): Record<string, string> | undefined {
  const braced = text.startsWith('{') || text.startsWith('[') ? text : `{${text}}`;
  const parsed = parsedOf(braced);
  if (Array.isArray(parsed)) return ofPairs(parsed);
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  return Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key, textOf(value)]));
}

/** One spelling of equal tags: in the order of their names. Empty where there is none. */
export function flatTags(text: string): string {
  const tags = readTags(text);
  if (tags === undefined) return '';
  const entries = Object.entries(tags).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? '' : JSON.stringify(Object.fromEntries(entries));
}

/** Lists of `{"key": …, "value": …}`, as maps become in some exports. */
function ofPairs(pairs: readonly unknown[]): Record<string, string> | undefined {
  const entries = pairs.map((pair) => {
    const { key, value } = Object(pair) as { key?: unknown; value?: unknown };
    return typeof key === 'string' ? ([key, textOf(value)] as const) : undefined;
  });
  const known = entries.filter((entry) => entry !== undefined);
  return known.length === entries.length ? Object.fromEntries(known) : undefined;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Tags as bills have them: a flat JSON object, now and then without its braces. */

/**
 * One spelling of equal tags: a JSON object of texts, in the order of their names; empty for no tags.
 * @returns undefined when the text is no object
 */
export function flatTags(text: string): string | undefined {
  const tags = readTags(text);
  if (tags === undefined) return undefined;
  const names = Object.keys(tags).sort();
  if (names.length === 0) return '';
  return `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(tags[name])}`).join()}}`;
}

function readTags(text: string): Record<string, string> | undefined {
  const braced = text.startsWith('{') || text.startsWith('[') ? text : `{${text}}`;
  const parsed = parsedOf(braced);
  if (Array.isArray(parsed)) return ofPairs(parsed);
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  return Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key, textOf(value)]));
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

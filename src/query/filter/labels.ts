/** Labels of a row: an object of texts in JSON, or '' for none. */

/** A map, so that a name such as `__proto__` is an ordinary name. */
export function parseLabels(text: string): Map<string, string> {
  if (text === '') return new Map();
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}

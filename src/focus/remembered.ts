/** What was made of texts that come again and again, block by block: times, and tags of resources. */

/** Then all are forgotten: a bill of ever new texts must not fill the memory. */
const TEXTS_MAX = 20_000;

/** The same function, which looks at a text once in a while. */
export function remembered<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly value: T }>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found.value;
    const value = read(text);
    if (known.size === TEXTS_MAX) known.clear();
    known.set(text, { value });
    return value;
  };
}

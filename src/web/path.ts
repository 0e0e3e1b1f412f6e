/** Paths of the API, relative to the page. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A path of the API with its query, such as `model/allocation?window=7d`; what is undefined or '' is left out. */
export function pathOf(path: string, query: Query = {}): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') text.set(name, String(value));
  }
  return text.size === 0 ? path : `${path}?${text.toString()}`;
}

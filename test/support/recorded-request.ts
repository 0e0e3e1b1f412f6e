/** A request of which the answer is recorded, and short ways to write many of them. */

/**
 * `filled` has days, bills and a cluster; `empty` has the demo store alone, and nothing switched on; into `login`
 * browsers sign in at an issuer.
 */
export type RecordedServer = 'filled' | 'empty' | 'login';

export interface RecordedRequest {
  readonly server: RecordedServer;
  readonly method: string;
  /** With its query; `{name}` stands for the id of what was made under that name. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Tells it apart from others of the same method and path. */
  readonly note?: string;
  /** With the entity tag that the last answer of this path had. */
  readonly isConditional?: boolean;
  /** What the id in its answer is called from now on. */
  readonly makes?: string;
  /** The reason why no two answers have the same bytes: only the status and types are compared. */
  readonly varies?: string;
}

export type Group = readonly [name: string, requests: readonly RecordedRequest[]];

/** What the answer is kept under. */
export function keyOf({ server, method, path, note }: RecordedRequest): string {
  return `${server}: ${method} ${path}${note === undefined ? '' : ` (${note})`}`;
}

type More = Omit<Partial<RecordedRequest>, 'path'>;

export function get(path: string, more: More = {}): RecordedRequest {
  return { server: 'filled', method: 'GET', path, ...more };
}

/** @param note must differ between bodies for one path */
export function send(method: string, path: string, body: string, more: More = {}): RecordedRequest {
  return { server: 'filled', method, path, body, ...more };
}

export function post(path: string, body: unknown, more: More = {}): RecordedRequest {
  return send('POST', path, typeof body === 'string' ? body : JSON.stringify(body), more);
}

/** One request for each end of a path. */
export function gets(path: string, ends: readonly string[], more: More = {}): RecordedRequest[] {
  return ends.map((end) => get(`${path}${end}`, more));
}

/** A parameter with a value that is taken and one that is refused; '' leaves one of them out. */
export type Tried = readonly [name: string, good: string, bad: string];

/** @param path ends with `?` or `&`; a parameter that is tried takes the place of what it has there */
export function tries(path: string, tried: readonly Tried[], more: More = {}): RecordedRequest[] {
  return tried.flatMap(([name, good, bad]) => {
    const others = path.replace(new RegExp(`(?<=[?&])${name}=[^&]*&`), '');
    const values = [good, bad].filter((value) => value !== '');
    return values.map((value) => get(others + pair(name, value), more));
  });
}

/** As clients encode it. */
export function pair(name: string, value: string): string {
  return `${name}=${encodeURIComponent(value)}`;
}

/** The answer, once more by its tag, and by one that is not its tag. */
export function conditional(path: string, more: More = {}): RecordedRequest[] {
  const others = { ...more, headers: { 'if-none-match': '"another"' }, note: 'another tag' };
  return [
    get(path, { ...more, note: 'for its tag' }),
    get(path, { ...more, isConditional: true, note: 'its own tag' }),
    get(path, others),
  ];
}

/** The answer in gzip, by HEAD and by OPTIONS, and what of other methods is said. */
export function otherwise(path: string, more: More = {}): RecordedRequest[] {
  return [
    get(path, { ...more, headers: { 'accept-encoding': 'gzip' }, note: 'gzip' }),
    ...['HEAD', 'OPTIONS', 'PATCH'].map((method) => get(path, { ...more, method })),
  ];
}

/** Two whole days that are stored. */
export const DAYS = 'window=2024-05-01T00:00:00Z,2024-05-03T00:00:00Z';

/** What a tool is: a route of the API as a program that speaks MCP calls it. */

/** A route as the descriptions name it, such as `GET /allocation/summary`; it answers as below `/model`. */
export type RouteKey = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`;

/** A row, or a part of an answer, by names that tell units. */
export type Fields = Readonly<Record<string, unknown>>;

/** The rows of an answer, and all that it tells beside them. */
export interface Read {
  readonly rows?: readonly Fields[];
  readonly facts?: Fields;
  /** What another tool takes: it is told whole, by the API's own names. */
  readonly verbatim?: Fields;
  /** How many sets the rows are of; absent: one. */
  readonly sets?: number;
  /** How many rows each set has on all pages. */
  readonly totalRows?: number;
}

/** An argument that is sent as the body of the request. */
export interface BodyArgument {
  readonly name: string;
  readonly says: string;
  /** JSON is checked by the schema of the route; YAML is a text, sent as it is. */
  readonly type: 'application/json' | 'application/yaml';
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** What it answers, and when it is to be called. */
  readonly says: string;
  readonly route: RouteKey;
  /** Routes that are asked with the same arguments, as far as they know them: parts of the result by name. */
  readonly beside?: Readonly<Record<string, RouteKey>>;
  /** Parameters that it offers; absent: those of the route. */
  readonly takes?: readonly string[];
  /** What stands where an argument is left out. */
  readonly defaults?: Readonly<Record<string, string>>;
  readonly body?: BodyArgument;
  /** Whether what it changes cannot be had back; absent: where it changes anything. */
  readonly isDestructive?: boolean;
  /** Whether its result has rows, a page at a time. */
  readonly hasRows: boolean;
  /** @param answer the body of the route's answer @throws what it does for bodies of another form */
  read(answer: unknown): Read;
  /** What the answers of the routes beside add. */
  readBeside?(answers: Readonly<Record<string, unknown>>): Read;
}

/** A member of a JSON value; undefined where there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let inner = value;
  for (const name of path) {
    if (typeof inner !== 'object' || inner === null) return undefined;
    inner = Reflect.get(inner, name);
  }
  return inner;
}

/** The objects of a list; none of what is no list. */
export function rowsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The objects of a map, each with its key as `name`. */
export function namedRowsIn(value: unknown): Fields[] {
  if (!isFields(value)) return [];
  return Object.entries(value).map(([name, row]) => ({ name, ...(isFields(row) ? row : {}) }));
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

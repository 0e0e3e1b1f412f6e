import { allOf, Fault, nearest, refuse, type Filter } from '../query/index.ts';
import type { AdmittedRequest } from './caller.ts';

/** Half of the 64 KiB that heads may have. */
const QUERY_MAX_BYTES = 32 * 1024;

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['t', true],
  ['true', true],
  ['0', false],
  ['f', false],
  ['false', false],
]);

/**
 * Parameters that clients of Kubecost and OpenCost send to every route and that change no cost: charts and
 * currencies of pages, metadata that rows always have, and `_` against caches.
 */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  '_',
  'chartType',
  'costUnit',
  'includeAggregatedMetadata',
  'metrics',
]);

/** More unknown parameters than these are counted, not named. */
const NAMED_MAX = 10;
const NAME_CHARACTERS = 64;

/**
 * The parameters of one query. An empty value means unset, and a name that came twice is a Fault when it is
 * read. The names that are read are the known ones: `ignored` tells the others.
 */
export class QueryParams {
  readonly #values: ReadonlyMap<string, readonly string[]>;
  /** Names that were read: the route knows them. */
  readonly #known: Set<string> = new Set();

  /** Rows that the caller may see, as a filter; null: all. */
  readonly #scope: string | null;
  #isScopeJoined: boolean = false;

  constructor(values: ReadonlyMap<string, readonly string[]>, scope: string | null = null) {
    this.#values = values;
    this.#scope = scope;
  }

  /** Whether the caller may see some rows alone. */
  get isScoped(): boolean {
    return this.#scope !== null;
  }

  /**
   * The rows that the request selects, among those that the caller may see.
   * @param read the language of filters of the route; what the fields of two routes mean may differ
   * @throws {Fault} 403 when the rows of the route cannot be told apart by the caller's filter
   */
  scoped(
    filter: Filter | null,
    read: (text: string, parameter: string) => Filter | null,
  ): Filter | null {
    this.#isScopeJoined = true;
    if (this.#scope === null) return filter;
    const own = readScope(this.#scope, read);
    return filter === null ? own : allOf([own, filter]);
  }

  /**
   * Refuses a parameter with which a caller that sees some rows could find out about others.
   * @throws {Fault} 403
   */
  refuseScoped(name: string, why: string): void {
    if (!this.isScoped || this.text(name) === undefined) return;
    throw new Fault(`parameter '${name}' is not for callers with a filter: ${why}`, {
      status: 403,
      parameter: name,
    });
  }

  /** Holds that the plan which was read has the caller's filter. @throws {Error} BUG */
  requireScoped(): void {
    if (!this.isScoped || this.#isScopeJoined) return;
    throw new Error("BUG: a plan without its caller's filter");
  }

  /** Whether the parameter is there, with or without a value. */
  has(name: string): boolean {
    this.#known.add(name);
    return this.#values.has(name);
  }

  /** @throws Fault when the parameter is there more than once */
  text(name: string): string | undefined {
    this.#known.add(name);
    const values = this.#values.get(name) ?? [];
    if (values.length > 1) {
      throw new Fault(`parameter '${name}' came ${values.length} times, once is accepted`, {
        parameter: name,
        hint: `send one ${name}=…; most lists are separated by commas`,
      });
    }
    return values[0] === '' ? undefined : values[0];
  }

  /**
   * @param accepted a description of valid values, such as `a window`
   * @throws Fault when the parameter is missing
   */
  required(name: string, accepted: string, example: string): string {
    const value = this.text(name);
    if (value !== undefined) return value;
    throw new Fault(`parameter '${name}' is missing: it takes ${accepted}`, {
      parameter: name,
      hint: `for example ${name}=${example}`,
    });
  }

  /** `1,t,true,0,f,false` in any case. @throws Fault for anything else */
  flag(name: string, byDefault: boolean): boolean {
    return this.parsed(name, (value) => parseFlag(name, value), byDefault);
  }

  /**
   * For routes on which a parameter without an effect is a mistake; called when all known ones are read.
   * @throws Fault for a parameter with a value that has not been read
   */
  refuseUnread(): void {
    for (const [name, values] of this.#values) {
      const value = values.find((each) => each !== '');
      const isKnown = this.#known.has(name) || WITHOUT_EFFECT.has(name);
      if (value === undefined || isKnown) continue;
      const shown = value.length > 80 ? `${value.slice(0, 80)}…` : value;
      throw new Fault(`parameter '${name}' is not known here; it came with '${shown}'`, {
        parameter: name,
        hint: `accepted are ${[...this.#known].join(', ')}`,
      });
    }
  }

  /** `parse` throws the Fault; it is not called when the parameter is unset. */
  parsed<T, D = T>(name: string, parse: (value: string) => T, byDefault: D): T | D {
    const value = this.text(name);
    return value === undefined ? byDefault : parse(value);
  }

  /**
   * Declares a parameter that changes nothing here: `ignored` does not tell it.
   * @param values of which this holds; absent: all
   */
  accept(name: string, values?: readonly string[]): void {
    const isOther = this.#values.get(name)?.some((value) => values?.includes(value) === false);
    if (isOther !== true) this.#known.add(name);
  }

  /** Warnings of the parameters that nothing has read: to be called once all others are read. */
  ignored(): readonly string[] {
    const unknown = [...this.#values.keys()].filter(
      (name) => !this.#known.has(name) && !WITHOUT_EFFECT.has(name),
    );
    const named = unknown.slice(0, NAMED_MAX).map((name) => ignoredText(name, [...this.#known]));
    const others = unknown.length - named.length;
    if (others > 0) named.push(`${others} more parameters are not known and were ignored`);
    return named;
  }
}

function ignoredText(name: string, known: readonly string[]): string {
  const shown = name.length > NAME_CHARACTERS ? `${name.slice(0, NAME_CHARACTERS)}…` : name;
  const near = nearest(name, known);
  const hint = near === undefined ? '' : `; did you mean '${near}'?`;
  return `parameter '${shown}' is not known and was ignored${hint}`;
}

function parseFlag(name: string, value: string): boolean {
  const flag = FLAGS.get(value.toLowerCase());
  if (flag !== undefined) return flag;
  throw refuse(name, value, 'a boolean: 1, t, true, 0, f or false, in any case', 'true');
}

/**
 * Parses a query strictly: mistakes that https://url.spec.whatwg.org/#urlencoded-parsing repairs silently
 * are refused here.
 * @param raw without `?`, still percent-encoded
 * @throws Fault 414 above 32 KiB; 400 for damaged percent-encoding, `%00` and invalid UTF-8
 */
export function parseQuery(raw: string, scope: string | null = null): QueryParams {
  const queryBytes = Buffer.byteLength(raw);
  if (queryBytes > QUERY_MAX_BYTES) {
    throw new Fault(`the query has ${queryBytes} bytes, at most ${QUERY_MAX_BYTES} are accepted`, {
      status: 414,
      hint: 'shorten its lists, or ask in several requests',
    });
  }
  const values = new Map<string, string[]>();
  for (const pair of raw.split('&')) {
    if (pair !== '') addPair(values, pair);
  }
  return new QueryParams(values, scope);
}

/** The parameters of a request, with the caller's filter. */
export function paramsOf({ query, caller }: AdmittedRequest): QueryParams {
  return parseQuery(query, caller.filter);
}

/** @throws {Fault} 403 naming what the route has not */
function readScope(
  scope: string,
  read: (text: string, parameter: string) => Filter | null,
): Filter {
  try {
    const filter = read(scope, 'filter');
    if (filter !== null) return filter;
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    const why = cause.message.replace(/^parameter 'filter': /, '');
    throw new Fault(`your filter ${scope} cannot be told from these rows: ${why}`, {
      status: 403,
      parameter: 'filter',
      hint: 'ask for allocations, or someone who sees all rows',
      cause,
    });
  }
  throw new Error('BUG: a filter of nothing');
}

function addPair(values: Map<string, string[]>, pair: string): void {
  const equals = pair.indexOf('=');
  const rawName = equals < 0 ? pair : pair.slice(0, equals);
  const name = decode(rawName, rawName);
  const value = equals < 0 ? '' : decode(pair.slice(equals + 1), name);
  const earlier = values.get(name);
  if (earlier === undefined) values.set(name, [value]);
  else earlier.push(value);
}

function decode(raw: string, parameter: string): string {
  const spaced = raw.replaceAll('+', ' ');
  // U+FFFD in the raw text replaces bytes that were not UTF-8.
  if (spaced.includes('\uFFFD')) throw damaged(parameter, raw);
  const text = spaced.includes('%') ? percentDecode(spaced, parameter) : spaced;
  if (text.includes('\0')) throw damaged(parameter, raw);
  return text;
}

function percentDecode(text: string, parameter: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw damaged(parameter, text);
  }
}

function damaged(parameter: string, raw: string): Fault {
  return refuse(parameter, raw, 'percent-encoded UTF-8 without %00', '100%25');
}

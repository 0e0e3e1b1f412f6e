import { channel } from 'node:diagnostics_channel';
import {
  allOf,
  Fault,
  nearest,
  parseAccumulate,
  parseBoolean,
  parseWindow,
  type Accumulate,
  type Filter,
  type ParsedWindow,
  type WindowClock,
} from '../query/index.ts';
import { ignoredText, WITHOUT_EFFECT } from './spelling/unknown-names.ts';
import { readPairs } from './spelling/query-text.ts';
import type { AdmittedRequest } from './caller.ts';

/** Lists of which each item may come as a parameter of its own. */
const LISTS = /^(filter(?!TotalCost)[A-Z]\w*|aggregate|shareNamespaces|shareLabels)$/;

const IDLE_HIDDEN =
  'left out, as it shows what others cost; callers with a filter need idle: true on their token';

/** More unknown parameters than these are counted, not named. */
const NAMED_MAX = 10;

/**
 * Tells `[route, name]` of each parameter that a route reads to whoever listens, as tests do that hold the description
 * of the API against what it reads.
 */
const reads = channel('prorata.parameter-read');

/** A parameter as it came. */
interface Sent {
  /** As the client spells it. */
  readonly name: string;
  readonly values: readonly string[];
}

/**
 * The parameters of one query, their names in any case. An empty value means unset, and a name that came twice is a
 * Fault when it is read, unless it is a list. The names that are read are the known ones: `ignored` tells the others.
 */
export class QueryParams {
  /** By the name in lower case. */
  readonly #sent: ReadonlyMap<string, Sent>;
  /** Names that were read: the route knows them. By the name in lower case. */
  readonly #known: Map<string, string> = new Map();

  readonly #told: string[] = [];

  /** Rows that the caller may see, as a filter; null: all. */
  readonly #scope: string | null;
  #isScopeJoined: boolean = false;
  /** Whether the caller sees idle and shared costs. */
  readonly seesIdle: boolean;
  /** Whether `3d` is three whole days where the request does not say. */
  readonly isExactDays: boolean;
  /** The method and the path of the route that reads them, '' for none. */
  readonly #route: string;

  constructor(
    values: ReadonlyMap<string, readonly string[]>,
    scope: string | null = null,
    isExactDays: boolean = false,
    route: string = '',
    seesIdle: boolean = false,
  ) {
    this.#route = route;
    this.seesIdle = scope === null || seesIdle;
    this.#sent = sentBy(values);
    this.#scope = scope;
    this.isExactDays = isExactDays;
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

  /**
   * Whether idle or a shared cost is shown. It shows what others on a node or in a cluster cost, so that a caller with a
   * filter needs `idle: true`; without it the cost is left out, with a warning if the request names the parameter.
   */
  showsIdle(name: string, isWanted: boolean): boolean {
    if (!isWanted || this.seesIdle) return isWanted;
    if (this.text(name) !== undefined) this.tell(name, IDLE_HIDDEN);
    return false;
  }

  /** Holds that the plan which was read has the caller's filter. @throws {Error} BUG */
  requireScoped(): void {
    if (!this.isScoped || this.#isScopeJoined) return;
    throw new Error("BUG: a plan without its caller's filter");
  }

  /** Whether the parameter is there, with or without a value. */
  has(name: string): boolean {
    this.#know(name);
    return this.#sent.has(name.toLowerCase());
  }

  /**
   * @returns the items of a list that came several times with commas between
   * @throws Fault when the parameter is there more than once, and is no list
   */
  text(name: string): string | undefined {
    this.#know(name);
    const { values } = this.#sent.get(name.toLowerCase()) ?? NOT_SENT;
    if (values.length > 1 && LISTS.test(name)) {
      return values.filter((value) => value !== '').join(',') || undefined;
    }
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

  /** A boolean in any of its spellings. @throws Fault for anything else */
  flag(name: string, byDefault: boolean): boolean {
    return this.parsed(name, (value) => parseBoolean(value, name), byDefault);
  }

  /**
   * For routes on which a parameter without an effect is a mistake; called when all known ones are read.
   * @throws Fault for a parameter with a value that has not been read
   */
  refuseUnread(): void {
    for (const { name, values } of this.#unknown()) {
      const value = values.find((each) => each !== '');
      if (value === undefined) continue;
      const shown = value.length > 80 ? `${value.slice(0, 80)}…` : value;
      const names = [...this.#known.values()];
      const near = nearest(name, names);
      const meant = near === undefined ? '' : `did you mean '${near}'? `;
      throw new Fault(`parameter '${name}' is not known here; it came with '${shown}'`, {
        parameter: name,
        hint: `${meant}accepted are ${names.join(', ')}`,
      });
    }
  }

  /** `parse` throws the Fault; it is not called when the parameter is unset. */
  parsed<T, D = T>(name: string, parse: (value: string) => T, byDefault: D): T | D {
    const value = this.text(name);
    return value === undefined ? byDefault : parse(value);
  }

  /**
   * The window of a route that answers from whole days, in which `3d` may be three days (`exactWindow`).
   * @throws {Fault} naming the parameter, its value and what is accepted
   */
  daysWindow(text: string, clock: WindowClock): ParsedWindow {
    const isExact = this.flag('exactWindow', this.isExactDays);
    return parseWindow(text, { ...clock, spans: clock.spans ?? (isExact ? 'days' : 'moving') });
  }

  /**
   * `accumulate`, or `accumulateBy`, which goes before it.
   * @param accepted the words that the route offers
   * @throws {Fault} naming the parameter, its value and what is accepted
   */
  accumulate(accepted: readonly Accumulate[], byDefault: Accumulate): Accumulate {
    const read = (name: string): Accumulate | null =>
      this.parsed(name, (text) => parseAccumulate(text, accepted, name), null);
    const [whole, unit] = [read('accumulate'), read('accumulateBy')];
    return unit ?? whole ?? byDefault;
  }

  /**
   * Declares a parameter that changes nothing here: `ignored` does not tell it.
   * @param values of which this holds; absent: all
   */
  accept(name: string, values?: readonly string[]): void {
    const sent = this.#sent.get(name.toLowerCase()) ?? NOT_SENT;
    const isOther = sent.values.some((value) => values?.includes(value) === false);
    if (!isOther) this.#know(name);
  }

  /** Adds a warning of a parameter, for the answer. */
  tell(name: string, said: string): void {
    this.#told.push(`parameter '${name}': ${said}`);
  }

  /** Warnings of the parameters that nothing has read, and what was told of others: to be called once all others are read. */
  ignored(): readonly string[] {
    const unknown = this.#unknown();
    if (unknown.length === 0) return this.#told;
    const known = [...this.#known.values()];
    const named = unknown.slice(0, NAMED_MAX).map(({ name }) => ignoredText(name, known));
    const others = unknown.length - named.length;
    if (others > 0) named.push(`${others} more parameters are not known and were ignored`);
    return [...this.#told, ...named];
  }

  #know(name: string): void {
    this.#known.set(name.toLowerCase(), name);
    if (reads.hasSubscribers) reads.publish([this.#route, name]);
  }

  #unknown(): Sent[] {
    return [...this.#sent]
      .filter(([name]) => !this.#known.has(name) && !WITHOUT_EFFECT.has(name))
      .map(([, sent]) => sent);
  }
}

const NOT_SENT: Sent = { name: '', values: [] };

function sentBy(values: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, Sent> {
  const sent = new Map<string, Sent>();
  for (const [name, of] of values) {
    const key = name.toLowerCase();
    const earlier = sent.get(key);
    sent.set(
      key,
      earlier ? { ...earlier, values: [...earlier.values, ...of] } : { name, values: of },
    );
  }
  return sent;
}

/** @throws {Fault} as `readPairs` */
export function parseQuery(
  raw: string,
  scope: string | null = null,
  isExactDays: boolean = false,
): QueryParams {
  return new QueryParams(readPairs(raw), scope, isExactDays);
}

/** The parameters of a request, with the caller's filter. */
export function paramsOf({
  query,
  caller,
  isExactDays,
  method,
  visit,
}: AdmittedRequest): QueryParams {
  const route = `${method === 'HEAD' ? 'GET' : method} ${visit.route}`;
  return new QueryParams(readPairs(query), caller.filter, isExactDays, route, caller.seesIdle);
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

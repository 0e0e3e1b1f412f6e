/** What is known of one request beside its content: for logs and metrics, and for the stores that it leads to. */
import { randomBytes } from 'node:crypto';
import type { HeadFields } from './request-head.ts';
import { childOf, readTrace, type Trace } from '../query/index.ts';

/** What others may choose as the id of a request: it goes into logs and headers. */
const ID = /^[\w.:/+=@-]{1,128}$/;
/** Ids of this process begin so; with a number after it each is another's in no process. */
const OWN = `${randomBytes(8).toString('hex')}-`;
let visits = 0;

/** A change that a request asks for: plain data. */
export interface Change {
  /** What is changed, such as the id of a collection. */
  readonly of: string;
  /** Null: it was not there. */
  readonly before: unknown;
  /** Null: it will not be there. */
  readonly after: unknown;
}

export class Visit {
  /** The client's `x-request-id` where that can be shown, else one of ours. */
  readonly id: string;
  readonly #fields: HeadFields;
  readonly #peerNow: () => string;
  #trace: Trace | undefined;
  #peer: string | undefined;
  /** The path of the route that answers, without prefix; '' for none. */
  route: string = '';
  /** Who asks, as far as that is known. */
  who: string = '';
  /** Called before a change is made. @throws {Unavailable} when it cannot be recorded, and must not be made */
  record: (change: Change) => Promise<void> = () => Promise.resolve();

  /** @param peerNow the address of the client, '' once that has gone */
  constructor(fields: HeadFields, peerNow: () => string) {
    const told = fields.headers.get('x-request-id');
    this.id = told !== undefined && ID.test(told) ? told : OWN + (visits++).toString(36);
    this.#fields = fields;
    this.#peerNow = peerNow;
  }

  /** The span of this request: a child of the client's, where that told one. */
  get trace(): Trace {
    this.#trace ??= childOf(this.#parent());
    return this.#trace;
  }

  /** The address that asks, of the last proxy where there are some. */
  get peer(): string {
    this.#peer ??= plainAddress(this.#peerNow());
    return this.#peer;
  }

  /**
   * The one client that asks: by the name that it signed in by, else by the address of the connection. No header is
   * trusted, as anybody may write one: behind a proxy without sign-in all are one client.
   */
  get client(): string {
    return this.who === '' ? networkOf(this.peer) : `'${this.who}'`;
  }

  /** Whether a header came more than once: its values are joined in `HttpRequest.header`. @param name in lower case */
  isRepeated(name: string): boolean {
    return this.#fields.repeated.has(name);
  }

  #parent(): Trace | undefined {
    const { headers } = this.#fields;
    const parent = headers.get('traceparent');
    return parent === undefined ? undefined : readTrace(parent, headers.get('tracestate') ?? '');
  }
}

const NO_FIELDS: HeadFields = { headers: new Map(), repeated: new Set() };

/** The visit of a request that came over no connection. */
export function ownVisit(): Visit {
  return new Visit(NO_FIELDS, () => '');
}

/** `0000:…:ffff:7f00:0001` and `::ffff:127.0.0.1` are addresses of IPv4. */
function plainAddress(address: string): string {
  const [, high, low] = /^(?:0{4}:){5}ffff:([0-9a-f]{4}):([0-9a-f]{4})$/.exec(address) ?? [];
  if (high === undefined || low === undefined) return address.replace(/^::ffff:(?=\d+\.)/, '');
  return Buffer.from(high + low, 'hex').join('.');
}

/** An address of IPv4; of IPv6 the network of 64 bits, as one client has all of it. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [left, right] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  const network = [...left, ...zeros, ...right].slice(0, 4);
  return `${network.map((group) => parseInt(group, 16).toString(16)).join(':')}::/64`;
}

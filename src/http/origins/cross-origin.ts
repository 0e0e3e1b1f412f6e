/**
 * Pages of other origins (https://fetch.spec.whatwg.org/#http-cors-protocol). Origins that are listed may ask anything,
 * with cookies and tokens; pages of any other may read what is answered to everybody, and send nothing that tells who
 * asks, unless they are shut out. Without a header of ours a browser gives a page nothing.
 */
import type { HttpReply, HttpRequest } from '../server.ts';

type Headers = HttpReply['headers'];

/** What a page may read of an answer besides its body. */
const EXPOSED = 'etag, link, retry-after, x-request-id, content-disposition, warning';
/** How long a browser may remember an answer to its preflight. */
const REMEMBERED_SECONDS = '600';

const READS = 'GET, HEAD';
const ALL = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PLAIN_HEADERS = 'accept, accept-language, content-language, content-type, if-none-match';

const ANY: Headers = Object.freeze({
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
});
const NONE: Headers = Object.freeze({});

export interface CorsOrigins {
  /** Origins such as `https://costs.example.com`, as browsers write them. */
  readonly listed: readonly string[];
  /** Whether pages of others read what is answered to everybody. */
  readonly isReadByOthers: boolean;
}

export class CrossOrigin {
  /** What each listed origin is allowed. */
  readonly #listed: ReadonlyMap<string, Headers>;
  /** Results for headers that do not change, by what was added. */
  readonly #known: Map<Headers, WeakMap<Headers, Headers>> = new Map();

  readonly #others: Headers;

  constructor({ listed, isReadByOthers }: CorsOrigins) {
    this.#others = isReadByOthers ? ANY : NONE;
    this.#listed = new Map(
      listed.map((origin) => [
        origin,
        Object.freeze({
          'access-control-allow-origin': origin,
          'access-control-allow-credentials': 'true',
          'access-control-expose-headers': EXPOSED,
        }),
      ]),
    );
  }

  isListed(origin: string): boolean {
    return this.#listed.has(origin);
  }

  /** The answer to a browser that asks whether a page may ask; undefined for any other request. */
  preflight(request: HttpRequest): HttpReply | undefined {
    const origin = request.header('origin');
    if (request.method !== 'OPTIONS' || origin === '') return undefined;
    if (request.header('access-control-request-method') === '') return undefined;
    const vary = 'origin, access-control-request-method, access-control-request-headers';
    const isListed = this.isListed(origin);
    // A browser that is told nothing does not ask.
    if (!isListed && this.#others === NONE) return { status: 204, headers: { vary }, body: '' };
    const headers = {
      ...(this.#listed.get(origin) ?? ANY),
      'access-control-allow-methods': isListed ? ALL : READS,
      'access-control-allow-headers': isListed ? `${PLAIN_HEADERS}, authorization` : PLAIN_HEADERS,
      'access-control-max-age': REMEMBERED_SECONDS,
      vary,
    };
    return { status: 204, headers, body: '' };
  }

  /** The answer with what the page that asked may do with it; others get theirs as it is. */
  allowing(request: HttpRequest, reply: HttpReply): HttpReply {
    const origin = request.header('origin');
    const isAlike = origin === '' || this.#others === NONE;
    if (isAlike && this.#listed.size === 0) return reply;
    const { headers } = reply;
    const isSignIn = 'set-cookie' in headers && !this.isListed(origin);
    const added = isSignIn ? NONE : this.#addedFor(request, origin);
    if (!Object.isFrozen(headers)) return { ...reply, headers: merged(headers, added) };
    let known = this.#known.get(added);
    if (known === undefined) this.#known.set(added, (known = new WeakMap()));
    let own = known.get(headers);
    if (own === undefined) known.set(headers, (own = Object.freeze(merged(headers, added))));
    return { ...reply, headers: own };
  }

  #addedFor(request: HttpRequest, origin: string): Headers {
    if (origin === '') return NONE;
    const listed = this.#listed.get(origin);
    if (listed !== undefined) return listed;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const tellsWho = request.header('cookie') !== '' || request.header('authorization') !== '';
    return isRead && !tellsWho ? this.#others : NONE;
  }
}

function merged(headers: Headers, added: Headers): Headers {
  const { vary } = headers;
  return { ...headers, ...added, vary: vary === undefined ? 'origin' : `${vary}, origin` };
}

/**
 * The one gate in front of everything, whatever the path: no request is answered before it is known who asks, but at
 * the paths that are open to all.
 *
 *     request ──► who asks? ──┬─ known ───────────► handler, which compares roles (route.ts)
 *                             └─ not known ─┬─ an open path ──► handler, as nobody
 *                                           └─ any other ─────► 401, or why that cannot be found out
 */
import type { Fault, Unavailable } from '../query/index.ts';
import {
  EVERYBODY,
  NOBODY,
  PassedOn,
  type AdmittedHandler,
  type AdmittedRequest,
  type Caller,
} from './caller.ts';
import { errorReply, json } from './reply.ts';
import type { BeforeBody, HttpHandler, HttpReply, HttpRequest } from './server.ts';

/** Why it is not known who asks. */
export interface Unidentified {
  /** A sentence for the client, without what it sent. */
  readonly why: string;
  readonly hint?: string;
  /** Something was sent, and is not accepted. */
  readonly isRefused: boolean;
  /** Answered in the place of 401: it cannot be found out now who asks, or is known and they may not. */
  readonly instead?: Fault | Unavailable;
}

export type Identified = Caller | Unidentified;

/** Tells who asks. */
export type Identify = (request: HttpRequest) => Promise<Identified> | Identified;

export interface GateOptions {
  readonly identify: Identify;
  /** Whether a path is open to all. */
  readonly isOpen: (path: string) => boolean;
  /** Whether answers are for their caller alone, so that nothing between may keep them. */
  readonly isPrivate: boolean;
}

/** Nobody has to sign in. */
export const FOR_EVERYBODY: GateOptions = {
  identify: () => EVERYBODY,
  isOpen: () => true,
  isPrivate: false,
};

/**
 * Tells strangers so before their body is read: otherwise bodies of those who may ask nothing would fill memory.
 * @returns undefined where the body is to be read
 */
export function refusedAtHead({ identify, isOpen, isPrivate }: GateOptions): BeforeBody {
  const refusal = (who: Identified, { path }: HttpRequest): HttpReply | undefined => {
    if ('roles' in who || isOpen(path)) return undefined;
    return isPrivate ? asPrivate(unknownReply(who)) : unknownReply(who);
  };
  return (request) => {
    const who = identify(request);
    return who instanceof Promise
      ? who.then((late) => refusal(late, request))
      : refusal(who, request);
  };
}

export function gated(
  handler: AdmittedHandler,
  { identify, isOpen, isPrivate }: GateOptions,
): HttpHandler {
  const answered = (who: Identified, request: HttpRequest): Promise<HttpReply> | HttpReply => {
    if ('roles' in who) {
      if (who.isSignedIn) request.visit.who = who.name;
      return handler(new Admitted(request, who));
    }
    return isOpen(request.path) ? handler(new Admitted(request, NOBODY)) : unknownReply(who);
  };
  const ask = (request: HttpRequest): Promise<HttpReply> | HttpReply => {
    const who = identify(request);
    return who instanceof Promise
      ? who.then((late) => answered(late, request))
      : answered(who, request);
  };
  if (!isPrivate) return ask;
  return (request) => {
    const reply = ask(request);
    return reply instanceof Promise ? reply.then(asPrivate) : asPrivate(reply);
  };
}

function unknownReply({ why, hint, isRefused, instead }: Unidentified): HttpReply {
  if (instead !== undefined) return errorReply(instead, () => undefined);
  const reply = json({ code: 401, message: why, data: null, hint }, 401);
  // https://www.rfc-editor.org/rfc/rfc6750#section-3
  const challenge = `Bearer realm="prorata"${isRefused ? ', error="invalid_token"' : ''}`;
  return { ...reply, headers: { ...reply.headers, 'www-authenticate': challenge } };
}

type Headers = HttpReply['headers'];

/** Results for headers that do not change. */
const PRIVATE: WeakMap<Headers, Headers> = new WeakMap();

function asPrivate(reply: HttpReply): HttpReply {
  const { headers } = reply;
  let own = PRIVATE.get(headers);
  if (own === undefined) {
    own = { 'cache-control': 'private, no-cache', ...headers };
    if (Object.isFrozen(headers)) PRIVATE.set(headers, Object.freeze(own));
  }
  return { ...reply, headers: own };
}

class Admitted extends PassedOn implements AdmittedRequest {
  readonly caller: Caller;

  constructor(request: HttpRequest, caller: Caller) {
    super(request);
    this.caller = caller;
  }
}

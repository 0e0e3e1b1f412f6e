/**
 * Callers by a cookie that their browser got when they signed in. A browser sends it by itself, also for the page of
 * somebody else: a write needs a second token, which `/whoami` tells to pages of this server alone.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Cache } from '../cache/index.ts';
import type { HttpRequest, Identified, Identify } from '../http/index.ts';
import { Fault } from '../query/index.ts';
import { callerOf, type ClaimOptions } from './claims.ts';
import type { Claims } from './jwt.ts';
import { sealerOf, type Sealer } from './sealed.ts';
import { Spent } from './spent.ts';
import { digestOf, tokenOf } from './tokens.ts';

export interface SessionOptions extends ClaimOptions {
  /** 32 bytes. */
  readonly key: Uint8Array;
  readonly nowMs: () => number;
}

/** The prefix makes browsers refuse it from other hosts and over plain HTTP. */
export const SESSION_COOKIE = '__Host-prorata';
const SESSION_MS = 8 * 3_600_000;
/** Browsers keep no longer cookies. */
const COOKIE_MAX = 4000;
/** Sessions that are known by the digest of their cookie: to open one, and to read its filter, takes 0.2 ms. */
const KNOWN = { budget: 2000, sizeOf: (): number => 1 };
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export class Sessions {
  readonly #options: SessionOptions;
  readonly #sealer: Sealer;
  readonly #ended = new Spent();
  readonly #known = new Cache<Known>(KNOWN);

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#sealer = sealerOf(options.key, 'session', options.nowMs);
  }

  /**
   * The cookie of somebody who has signed in.
   * @throws {Fault} 403 where they may not
   */
  begin(claims: Claims): string {
    const { nowMs, groupsClaim, filterClaim, groupRoles } = this.#options;
    const expiresMs = nowMs() + SESSION_MS;
    const who = callerOf(claims, expiresMs, this.#options);
    if ('why' in who) throw who.instead ?? new Fault(who.why, { status: 403 });
    const groups = [claims[groupsClaim]].flat().filter((group) => groupRoles.has(String(group)));
    const kept: Record<string, unknown> = { sub: claims['sub'], preferred_username: who.name };
    if (filterClaim !== undefined) kept[filterClaim] = claims[filterClaim];
    kept[groupsClaim] = groups;
    const csrf = randomBytes(24).toString('base64url');
    const text = this.#sealer.seal({ csrf, expiresMs, claims: kept }, expiresMs);
    if (text.length > COOKIE_MAX) {
      throw new Fault('what the issuer tells of who signs in is too long for a cookie', {
        status: 403,
        parameter: 'cookie',
        hint: 'ask by a token, or with a shorter filter',
      });
    }
    return cookie(SESSION_COOKIE, text, SESSION_MS);
  }

  /** The cookie that ends the session of a request, which is not taken again. @throws {Fault} 403 without the token */
  end(request: HttpRequest): string {
    const session = this.#sessionOf(request);
    if (session !== undefined) {
      if (!isProved(request, session)) throw unproved();
      this.#ended.add(session.csrf);
    }
    return cookie(SESSION_COOKIE, '', 0);
  }

  /** Asks `identify` where no session came, or another credential did. */
  orBy(identify: Identify): Identify {
    return (request) => {
      const isByCookie = tokenOf(request) === '' && cookieOf(request, SESSION_COOKIE) !== undefined;
      return isByCookie ? this.#callerOf(request) : identify(request);
    };
  }

  #callerOf(request: HttpRequest): Identified {
    const known = this.#knownOf(request);
    if (known === undefined) return ENDED;
    if (!READING.has(request.method) && !isProved(request, known.session)) {
      return { why: 'a token is missing', isRefused: true, instead: unproved() };
    }
    return known.who;
  }

  #sessionOf(request: HttpRequest): Session | undefined {
    return this.#knownOf(request)?.session;
  }

  /** Undefined for a session that has ended, and for what is none. */
  #knownOf(request: HttpRequest): Known | undefined {
    const text = cookieOf(request, SESSION_COOKIE) ?? '';
    if (text === '' || text.length > COOKIE_MAX) return undefined;
    const digest = digestOf(text).toString('base64');
    const known = this.#known.get(digest) ?? this.#open(text, digest);
    if (known === undefined) return undefined;
    const { csrf, expiresMs } = known.session;
    if (this.#options.nowMs() < expiresMs && !this.#ended.has(csrf)) return known;
    this.#known.delete(digest);
    return undefined;
  }

  /** Only what was sealed here is kept: strangers cannot fill it. */
  #open(text: string, digest: string): Known | undefined {
    const found = this.#sealer.open(text);
    if (found === undefined) return undefined;
    // It was sealed here: it has this form.
    const session = found as unknown as Session;
    const told = callerOf(session.claims, session.expiresMs, this.#options);
    const who = 'why' in told ? told : Object.freeze({ ...told, csrfToken: session.csrf });
    const known = { session, who };
    this.#known.set(digest, known);
    return known;
  }
}

interface Session {
  /** The second token; it is the session's id, too. */
  readonly csrf: string;
  readonly expiresMs: number;
  readonly claims: Claims;
}

interface Known {
  readonly session: Session;
  readonly who: Identified;
}

const ENDED: Identified = {
  why: 'the session has ended',
  hint: 'sign in again at /login',
  isRefused: false,
};

function isProved(request: HttpRequest, { csrf }: Session): boolean {
  return timingSafeEqual(digestOf(request.header('x-csrf-token')), digestOf(csrf));
}

function unproved(): Fault {
  return new Fault('a change that a browser asks for needs the token of its session', {
    status: 403,
    parameter: 'x-csrf-token',
    hint: 'send x-csrf-token with the csrfToken that /whoami tells',
  });
}

/** @param forMs 0 takes it away */
export function cookie(name: string, text: string, forMs: number): string {
  return `${name}=${text}; Path=/; Max-Age=${forMs / 1000}; HttpOnly; Secure; SameSite=Lax`;
}

export function cookieOf(request: HttpRequest, name: string): string | undefined {
  const pairs = request.header('cookie').split(/[;,] */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

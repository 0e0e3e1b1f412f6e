/**
 * Callers by tokens of an issuer of OpenID Connect. A token that was verified is known by its digest until it
 * expires, so that a signature is not verified for each request; after some minutes it is verified again, as
 * the issuer may have withdrawn the key.
 */
import type { Caller, Identified, Identify, Role } from '../http/index.ts';
import { Fault, Unavailable } from '../query/index.ts';
import { verifierOf, type Claims, type JwtOptions } from './jwt.ts';
import type { CheckFilter } from './token-file.ts';
import { digestOf, tokenOf, UNSIGNED } from './tokens.ts';

export interface OidcOptions extends JwtOptions {
  readonly groupsClaim: string;
  /** The claim with the filter of rows that a caller may see; undefined: all see all. */
  readonly filterClaim: string | undefined;
  readonly groupRoles: ReadonlyMap<string, Role>;
  readonly checkFilter: CheckFilter;
}

interface Known {
  readonly who: Identified;
  /** Unix ms; from then on the token is verified again. */
  readonly untilMs: number;
}

const TOKEN_MAX = 8192;
const KNOWN_MAX = 2000;
const KNOWN_MS = 600_000;
/** What a claim has where its caller sees all rows. */
const ALL_ROWS = '*';
const NAME = /^\P{Cc}{1,200}$/u;
const NAME_CLAIMS = ['preferred_username', 'email', 'sub'] as const;

export function identifyByOidc(options: OidcOptions): Identify {
  const { nowMs } = options;
  const verify = verifierOf(options);
  const known = new Map<string, Known>();
  const identify = async (token: string, digest: string): Promise<Identified> => {
    const verified = await verify(token);
    if ('why' in verified) return { why: verified.why, isRefused: true };
    const { claims, expiresMs } = verified;
    const who = callerOf(claims, expiresMs, options);
    if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value ?? '');
    known.set(digest, { who, untilMs: Math.min(expiresMs, nowMs() + KNOWN_MS) });
    return who;
  };
  return (request) => {
    const token = tokenOf(request);
    if (token === '') return UNSIGNED;
    if (token.length > TOKEN_MAX) return TOO_LONG;
    const digest = digestOf(token).toString('base64');
    const found = known.get(digest);
    if (found !== undefined && nowMs() < found.untilMs) return found.who;
    known.delete(digest);
    return identify(token, digest).catch(asUnidentified);
  };
}

const TOO_LONG: Identified = {
  why: `the token is longer than ${TOKEN_MAX} characters`,
  isRefused: true,
};

function asUnidentified(error: unknown): Identified {
  if (!(error instanceof Unavailable)) throw error;
  return { why: 'the token cannot be verified now', isRefused: false, instead: error };
}

function callerOf(claims: Claims, expiresMs: number, options: OidcOptions): Identified {
  const { groupsClaim, filterClaim, groupRoles, checkFilter } = options;
  const name = nameOf(claims);
  if (name === undefined) return { why: 'the token names nobody', isRefused: true };
  const groups = textsOf(claims[groupsClaim]);
  const roles = [...new Set(groups.flatMap((group) => groupRoles.get(group) ?? []))];
  const caller: Caller = { name, roles, filter: null, expiresMs, isSignedIn: true };
  if (filterClaim === undefined) return Object.freeze(caller);
  try {
    const filter = filterIn(claims[filterClaim], filterClaim, checkFilter);
    return Object.freeze({ ...caller, filter });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { why: 'the filter of the token is broken', isRefused: true, instead: error };
  }
}

function nameOf(claims: Claims): string | undefined {
  const texts = NAME_CLAIMS.map((claim) => claims[claim]);
  return texts.find((text): text is string => typeof text === 'string' && NAME.test(text));
}

/** A list of texts, or one alone. */
function textsOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === 'string');
}

/** @throws {Fault} 403: who has no filter, or a broken one, must not see everything */
function filterIn(value: unknown, claim: string, check: CheckFilter): string | null {
  if (value === ALL_ROWS) return null;
  const accepted = `a filter of rows such as namespace:"web", or ${ALL_ROWS} for all rows`;
  if (typeof value !== 'string' || value.trim() === '') {
    throw refusedFilter(`the claim ${claim} of the token is not ${accepted}`, undefined);
  }
  try {
    check(value);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    const why = cause.message.replace(/^parameter 'filter': /, '');
    throw refusedFilter(`the claim ${claim} of the token is not ${accepted}: ${why}`, cause);
  }
  return value;
}

function refusedFilter(message: string, cause: unknown): Fault {
  const hint = 'who runs the issuer sets the claim';
  return new Fault(message, { status: 403, parameter: 'filter', hint, cause });
}

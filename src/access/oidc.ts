/**
 * Callers by tokens of an issuer of OpenID Connect. A token that was verified is known by its digest until it
 * expires, so that a signature is not verified for each request; after some minutes it is verified again, as
 * the issuer may have withdrawn the key.
 */
import type { Identified, Identify } from '../http/index.ts';
import { Unavailable } from '../query/index.ts';
import { callerOf, type ClaimOptions } from './claims.ts';
import { verifierOf, type JwtOptions } from './jwt.ts';
import { digestOf, tokenOf, UNSIGNED } from './tokens.ts';

export type OidcOptions = JwtOptions & ClaimOptions;

interface Known {
  readonly who: Identified;
  /** Unix ms; from then on the token is verified again. */
  readonly untilMs: number;
}

const TOKEN_MAX = 8192;
const KNOWN_MAX = 2000;
const KNOWN_MS = 600_000;

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

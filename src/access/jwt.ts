/** Tokens that an issuer of OpenID Connect signed, by `jose`: verified with the keys that the issuer publishes. */
import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { Unavailable } from '../query/index.ts';
import type { Issuer } from './issuer.ts';

export interface JwtOptions {
  readonly issuer: Issuer;
  readonly audience: string;
  readonly nowMs: () => number;
  /** An unknown key makes the keys be read again, at most once in so long. */
  readonly cooldownMs: number;
}

export type Claims = Readonly<Record<string, unknown>>;

/** The claims, or a sentence that says why the token is refused. */
export type Verified = { readonly claims: Claims; readonly expiresMs: number } | { readonly why: string }; // prettier-ignore

/** @throws {Unavailable} while the issuer does not tell its keys */
export type Verify = (token: string) => Promise<Verified>;

/** Asymmetric ones alone: with `HS256` whoever knows a public key could sign. */
// prettier-ignore
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
const CLOCK_TOLERANCE_SECONDS = 30;
const KEYS_KEPT_MS = 600_000;
/** The last time that a date can tell: claims may have any number. */
const TIME_MAX_MS = 8.64e15;

const WHY: Readonly<Record<string, string>> = {
  [errors.JWTExpired.code]: 'the token has expired',
  [errors.JOSEAlgNotAllowed.code]: 'the token is signed by an algorithm that is not accepted',
  [errors.JWSSignatureVerificationFailed.code]: 'the signature of the token is wrong',
  [errors.JWKSNoMatchingKey.code]: 'the token is signed by none of the keys of the issuer',
  [errors.JWKSMultipleMatchingKeys.code]: 'the token does not tell by which key it is signed',
};

const WHY_CLAIM: Readonly<Record<string, string>> = {
  iss: 'the token is of another issuer',
  aud: 'the token is for another audience',
  nbf: 'the token is not valid yet',
};

export function verifierOf({ issuer, audience, nowMs, cooldownMs }: JwtOptions): Verify {
  const keyOf = keysOf(issuer, cooldownMs);
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keyOf, {
        issuer: issuer.url,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(nowMs()),
        requiredClaims: ['exp', 'sub'],
      });
      return { claims: payload, expiresMs: Math.min((payload.exp ?? 0) * 1000, TIME_MAX_MS) };
    } catch (error) {
      if (error instanceof errors.JOSEError) return { why: whyOf(error) };
      throw error;
    }
  };
}

function whyOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTClaimValidationFailed) {
    return WHY_CLAIM[error.claim] ?? 'a claim of the token is missing or wrong';
  }
  return WHY[error.code] ?? 'the token is no JWT that can be verified';
}

/** What is wrong with the token is an error of jose; all else is the issuer's. */
function keysOf(issuer: Issuer, cooldownMs: number): JWTVerifyGetKey {
  let keys: ReturnType<typeof createRemoteJWKSet> | undefined;
  return async (header, token) => {
    const { jwksUri } = await issuer.document();
    keys ??= createRemoteJWKSet(jwksUri, {
      cooldownDuration: cooldownMs,
      cacheMaxAge: KEYS_KEPT_MS,
      [customFetch]: (url, { headers }) => issuer.fetch(url, headers),
    });
    try {
      return await keys(header, token);
    } catch (error) {
      if (error instanceof Unavailable || isOfToken(error)) throw error;
      throw issuer.failure('its keys cannot be used', error);
    }
  };
}

function isOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

/**
 * Limits credentials that are not accepted, by the address that sends them. A credential is looked up first and an
 * accepted one always passes: otherwise any client behind a shared address could lock out the others. What makes
 * guessing hopeless is the length of tokens (32 random bytes); the limit keeps logs and CPU from being filled.
 */
import { TokenBuckets, type HttpRequest, type Identified, type Identify } from '../http/index.ts';
import { Unavailable } from '../query/index.ts';

export interface FailedSignInOptions {
  /** Refused ones of one address in a minute, and at once after a rest. */
  readonly perMinute: number;
  /** A clock that never goes back; absent: the real one. */
  readonly nowMs?: () => number;
}

export function slowGuesses(
  identify: Identify,
  { perMinute, nowMs }: FailedSignInOptions,
): Identify {
  /** Failures left to an address. */
  const buckets = new TokenBuckets({ perSecond: perMinute / 60, most: perMinute, nowMs });
  const counted = (who: Identified, request: HttpRequest): Identified => {
    // An unreachable issuer is not a failed sign-in.
    if ('roles' in who || !who.isRefused || who.instead !== undefined) return who;
    // Nobody is signed in: the client is an address, or a network of IPv6.
    const { client: address } = request.visit;
    const left = buckets.left(address);
    if (left < 1) return tooMany(address, buckets.secondsUntilOne(left));
    buckets.add(address, -1);
    return who;
  };
  return (request) => {
    const who = identify(request);
    return who instanceof Promise
      ? who.then((late) => counted(late, request))
      : counted(who, request);
  };
}

function tooMany(address: string, retryAfterSeconds: number): Identified {
  return {
    why: 'too many credentials were refused',
    isRefused: true,
    instead: new Unavailable(`${address} has sent too many credentials that are not accepted`, {
      status: 429,
      retryAfterSeconds,
      hint: `send an accepted credential, or ask again in ${retryAfterSeconds} s`,
    }),
  };
}

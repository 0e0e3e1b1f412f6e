/**
 * Credentials that are not accepted, counted by the address that sends them, so that nobody can try many. Where an
 * address has sent too many, one that was accepted from there before goes on, and any other is not looked at: whoever
 * guesses does not learn that one is right, and who is signed in behind the same address does not notice.
 */
import { Cache } from '../cache/index.ts';
import { TokenBuckets, type HttpRequest, type Identified, type Identify } from '../http/index.ts';
import { Unavailable } from '../query/index.ts';
import { digestOf } from './tokens.ts';

export interface FailedSignInOptions {
  /** How many of one address are looked at in a minute, and at once after a rest. */
  readonly perMinute: number;
  /** A clock that never goes back; absent: the real one. */
  readonly nowMs?: () => number;
}

/** Credentials that came last. */
const KNOWN = { budget: 10_000, sizeOf: (): number => 1 };

export function slowGuesses(
  identify: Identify,
  { perMinute, nowMs }: FailedSignInOptions,
): Identify {
  /** Further ones of an address that may fail. */
  const buckets = new TokenBuckets({ perSecond: perMinute / 60, most: perMinute, nowMs });
  const accepted = new Cache<true>(KNOWN);
  const looked = (who: Identified, address: string, key: string): Identified => {
    // What cannot be looked at now is no guess.
    const isGuess = !('roles' in who) && who.isRefused && who.instead === undefined;
    if ('roles' in who) accepted.set(key, true);
    else accepted.delete(key);
    if (!isGuess) buckets.add(address, 1);
    return who;
  };
  return (request) => {
    const credential = credentialOf(request);
    if (credential === '') return identify(request);
    // Nobody is signed in yet: the client is an address, or a network of IPv6.
    const { client: address } = request.visit;
    const key = `${address} ${digestOf(credential).toString('base64')}`;
    const isKnown = accepted.get(key) === true;
    if (!isKnown) {
      const left = buckets.left(address);
      if (left < 1) return tooMany(address, buckets.secondsUntilOne(left));
      // Before it is looked at, as others may be looked at meanwhile.
      buckets.add(address, -1);
    }
    const who = identify(request);
    const ended = (found: Identified): Identified =>
      isKnown && 'roles' in found ? found : looked(found, address, key);
    return who instanceof Promise ? who.then(ended) : ended(who);
  };
}

/** All that a credential may be in. A cookie is none: it is sealed by a key, and nobody can guess one. */
function credentialOf(request: HttpRequest): string {
  const token = request.header('authorization');
  return token === '' ? request.header('x-api-key') : token;
}

function tooMany(address: string, retryAfterSeconds: number): Identified {
  return {
    why: 'too many credentials were refused',
    isRefused: true,
    instead: new Unavailable(`${address} has sent too many credentials that are not accepted`, {
      status: 429,
      retryAfterSeconds,
      hint: `ask again in ${retryAfterSeconds} s; a credential that was accepted from there before goes on`,
    }),
  };
}

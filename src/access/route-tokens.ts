/**
 * Tokens that open one route each: whoever has it may use that route and nothing else, whatever the way in which other
 * callers sign in.
 */
import { timingSafeEqual } from 'node:crypto';
import {
  EVERYBODY,
  withoutPrefix,
  type Caller,
  type GateOptions,
  type HttpRequest,
  type Identify,
  type Role,
} from '../http/index.ts';
import { digestOf, tokenOf, UNSIGNED } from './tokens.ts';

export interface RouteToken {
  readonly method: 'POST';
  /** Without prefix. */
  readonly path: string;
  /** What its bearer is called. */
  readonly name: string;
  /** What the route needs. */
  readonly role: Role;
  /** The current one; undefined: there is none. */
  now(): string | undefined;
}

export function orByRouteTokens(identify: Identify, tokens: readonly RouteToken[]): Identify {
  const bearers = bearersOf(tokens);
  return (request) => bearers(request) ?? identify(request);
}

/** Where nobody signs in: all may ask all routes, but those with a token are for its bearers. */
export function openButForTokens(
  tokens: readonly RouteToken[],
): Pick<GateOptions, 'identify' | 'isOpen'> {
  const bearers = bearersOf(tokens);
  const isGuarded = (path: string): boolean =>
    tokens.some((token) => token.path === withoutPrefix(path));
  return {
    identify: (request) => bearers(request) ?? (isGuarded(request.path) ? NO_BEARER : EVERYBODY),
    isOpen: (path) => !isGuarded(path),
  };
}

const NO_BEARER = {
  ...UNSIGNED,
  why: 'this route is for those who have its token',
  hint: 'send Authorization: Bearer TOKEN',
};

function bearersOf(tokens: readonly RouteToken[]): (request: HttpRequest) => Caller | undefined {
  const callers = tokens.map(({ name, role }): Caller =>
    Object.freeze({ name, roles: [role], filter: null, expiresMs: null, isSignedIn: true }),
  );
  return (request) => {
    const path = withoutPrefix(request.path);
    const at = tokens.findIndex((token) => token.method === request.method && token.path === path);
    const expected = tokens[at]?.now();
    if (expected === undefined) return undefined;
    const isBearer = timingSafeEqual(digestOf(tokenOf(request)), digestOf(expected));
    return isBearer ? callers[at] : undefined;
  };
}

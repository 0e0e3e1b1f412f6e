/** The token of pushes: where callers sign in, whoever has it may push costs and nothing else. */
import { timingSafeEqual } from 'node:crypto';
import { withoutPrefix, type Caller, type Identify } from '../http/index.ts';
import { digestOf, tokenOf } from './tokens.ts';

/** The route that the token opens. */
const PUSH = { method: 'POST', path: '/customCost' } as const;

const PUSHER: Caller = Object.freeze<Caller>({
  name: 'the token of pushes',
  roles: ['editor'],
  filter: null,
  expiresMs: null,
  isSignedIn: true,
});

/** @param token the current one; undefined: there is none */
export function orByPushToken(identify: Identify, token: () => string | undefined): Identify {
  return (request) => {
    const isPush = request.method === PUSH.method && withoutPrefix(request.path) === PUSH.path;
    const expected = isPush ? token() : undefined;
    if (expected !== undefined && timingSafeEqual(digestOf(tokenOf(request)), digestOf(expected)))
      return PUSHER;
    return identify(request);
  };
}

/** The right to push costs: a client needs the token. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Fault } from '../../query/index.ts';

/** The current token; undefined: nobody may push. */
export type TokenNow = () => string | undefined;

/**
 * @param authorization the header
 * @returns false for a token other than the current one, or none
 * @throws {Fault} 403 where no token is configured
 */
export function mayPush(authorization: string, token: TokenNow): boolean {
  const expected = token();
  if (expected === undefined) {
    throw new Fault('costs cannot be pushed: the server has no token for it', {
      status: 403,
      hint: 'set CUSTOM_COST_TOKEN, or --custom-cost-token-file FILE',
    });
  }
  const [, shown = ''] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  // Digests have one length, and take one time to compare.
  return timingSafeEqual(digest(shown), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

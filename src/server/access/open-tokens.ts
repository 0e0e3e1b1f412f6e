/** Tokens of single routes, as the configuration has them: of pushed costs, and of samples that are sent. */
import { readFileSync } from 'node:fs';
import type { RouteToken } from '../../access/index.ts';
import { Unavailable } from '../../query/index.ts';
import type { Config } from '../../settings/config.ts';

/** The current token; undefined: there is none. */
type TokenNow = () => string | undefined;

export function pushTokenOf({ customCostToken, customCostTokenFile }: Config): TokenNow {
  return tokenOf(customCostToken, customCostTokenFile, 'pushes');
}

export function pushToken(config: Config): RouteToken {
  const now = pushTokenOf(config);
  return { method: 'POST', path: '/customCost', name: 'the token of pushes', role: 'editor', now };
}

/** None where the configuration names none. */
export function receiveTokens({ receiveToken, receiveTokenFile }: Config): RouteToken[] {
  if (receiveToken === undefined && receiveTokenFile === undefined) return [];
  const now = tokenOf(receiveToken, receiveTokenFile, 'writes');
  return [
    { method: 'POST', path: '/api/v1/write', name: 'the token of writes', role: 'editor', now },
  ];
}

/** A file is read for every request: tokens are renewed. */
function tokenOf(token: string | undefined, path: string | undefined, of: string): TokenNow {
  if (path === undefined) return () => token;
  return () => {
    try {
      return readFileSync(path, 'utf8').trim() || undefined;
    } catch (cause) {
      throw new Unavailable(`cannot read the token of ${of} from ${path}`, { cause });
    }
  };
}

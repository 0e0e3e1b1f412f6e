/** The gate in front of all routes, as the configuration describes it. */
import {
  identifyByProxy,
  identifyByTokens,
  openButForTokens,
  orByRouteTokens,
  slowGuesses,
} from '../../access/index.ts';
import {
  FOR_EVERYBODY,
  withoutPrefix,
  type GateOptions,
  type Identify,
  type Route,
} from '../../http/index.ts';
import { Fault } from '../../query/index.ts';
import type { AuthKind } from '../../settings/access.ts';
import type { Config } from '../../settings/config.ts';
import { openOidc, type Access } from './open-oidc.ts';
import { pushToken, receiveTokens } from './open-tokens.ts';
import { checkScope } from './scopes.ts';
import type { ServerLogger } from '../../terminal/log.ts';

type OpenIdentify = (config: Config, log: ServerLogger) => Identify;

const KINDS: Readonly<Record<Exclude<AuthKind, 'none' | 'oidc'>, OpenIdentify>> = {
  proxy(config) {
    const { trustedProxies: trusted, proxyUserHeader, proxyGroupsHeader, groupRoles } = config;
    if (trusted.length === 0) {
      throw new Fault('--auth proxy needs the addresses of the proxies that are trusted', {
        parameter: '--trusted-proxies',
        hint: 'for example --trusted-proxies 10.0.0.0/8',
      });
    }
    const headers = { userHeader: proxyUserHeader, groupsHeader: proxyGroupsHeader };
    return identifyByProxy({ trusted, ...headers, groupRoles });
  },
  tokens({ tokens: path }, log) {
    if (path === undefined) {
      throw new Fault('--auth tokens needs a file of tokens', {
        parameter: '--tokens',
        hint: 'for example --tokens /etc/prorata/tokens.yaml; prorata token NAME --roles viewer makes a line of it',
      });
    }
    return identifyByTokens({
      path,
      nowMs: Date.now,
      checkFilter: checkScope,
      onRead: (sentence) => log.info({}, sentence),
      onBroken: (sentence) => log.error({}, sentence),
    });
  },
};

/** @throws {Fault} when callers cannot sign in as configured */
export function openAccess(config: Config, log: ServerLogger): Access | undefined {
  const { auth } = config;
  if (auth === 'none') return undefined;
  if (auth === 'oidc') return openOidc(config, log);
  return { identify: KINDS[auth](config, log), routes: [] };
}

/** @param access undefined: nobody has to sign in */
export function openGate(
  access: Access | undefined,
  config: Config,
  isOpen: GateOptions['isOpen'],
): GateOptions {
  const { auth, failedSignIns: perMinute } = config;
  const ofWrites = receiveTokens(config);
  if (access === undefined) {
    return ofWrites.length === 0
      ? FOR_EVERYBODY
      : { ...openButForTokens(ofWrites), isPrivate: false };
  }
  const identify = orByRouteTokens(access.identify, [pushToken(config), ...ofWrites]);
  // Nobody guesses a signature: only tokens of a file can be tried one after the other.
  const isSlowed = auth === 'tokens' && perMinute > 0;
  return {
    identify: isSlowed ? slowGuesses(identify, { perMinute }) : identify,
    isOpen,
    isPrivate: true,
  };
}

/** Whether a path is open to all, such as that of `/healthz`. */
export function openPaths(routes: readonly Route[]): GateOptions['isOpen'] {
  const open = new Set(
    routes.filter(({ needs }) => needs === 'nobody').map(({ path }) => withoutPrefix(path)),
  );
  return (path) => open.has(withoutPrefix(path));
}

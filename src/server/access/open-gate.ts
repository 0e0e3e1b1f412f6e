/** The gate in front of all routes, as the configuration describes it. */
import { readFileSync } from 'node:fs';
import { identifyByOidc, identifyByProxy, identifyByTokens, Issuer, orByPushToken } from '../../access/index.ts'; // prettier-ignore
import {
  FOR_EVERYBODY,
  withoutPrefix,
  type GateOptions,
  type Identify,
  type Route,
} from '../../http/index.ts';
import { Fault, Unavailable } from '../../query/index.ts';
import type { AuthKind } from '../../settings/access.ts';
import type { Config } from '../../settings/config.ts';
import { checkScope } from './scopes.ts';
import type { ServerLogger } from '../../terminal/log.ts';

/** Strangers can make up keys: the issuer is asked for them once in so long. */
const COOLDOWN_MS = 30_000;

type OpenIdentify = (config: Config, log: ServerLogger) => Identify;

const KINDS: Readonly<Record<Exclude<AuthKind, 'none'>, OpenIdentify>> = {
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
  oidc(config, log) {
    const { oidcIssuer, oidcAudience: audience, groupRoles } = config;
    if (oidcIssuer === undefined) throw lacking('--oidc-issuer', 'https://login.example.com');
    if (audience === undefined) throw lacking('--oidc-audience', 'prorata');
    return identifyByOidc({
      issuer: new Issuer(oidcIssuer, (sentence) => log.error({}, sentence)),
      audience,
      groupRoles,
      groupsClaim: config.oidcGroupsClaim,
      filterClaim: config.oidcFilterClaim,
      nowMs: Date.now,
      cooldownMs: COOLDOWN_MS,
      checkFilter: checkScope,
    });
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

function lacking(flag: string, example: string): Fault {
  return new Fault(`--auth oidc needs ${flag}`, {
    parameter: flag,
    hint: `for example ${flag} ${example}`,
  });
}

/** @throws {Fault} when callers cannot sign in as configured */
export function openGate(
  config: Config,
  isOpen: GateOptions['isOpen'],
  log: ServerLogger,
): GateOptions {
  const { auth } = config;
  if (auth === 'none') return FOR_EVERYBODY;
  const identify = orByPushToken(KINDS[auth](config, log), pushTokenOf(config));
  return { identify, isOpen, isPrivate: true };
}

/** Whether a path is open to all, such as that of `/healthz`. */
export function openPaths(routes: readonly Route[]): GateOptions['isOpen'] {
  const open = new Set(
    routes.filter(({ needs }) => needs === 'nobody').map(({ path }) => withoutPrefix(path)),
  );
  return (path) => open.has(withoutPrefix(path));
}

/** A file is read for every push: tokens are renewed. */
export function pushTokenOf({
  customCostToken,
  customCostTokenFile: path,
}: Config): () => string | undefined {
  if (path === undefined) return () => customCostToken;
  return () => {
    try {
      return readFileSync(path, 'utf8').trim() || undefined;
    } catch (cause) {
      throw new Unavailable(`cannot read the token of pushes from ${path}`, { cause });
    }
  };
}

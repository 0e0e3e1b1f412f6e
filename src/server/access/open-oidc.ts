/** Signing in by an issuer of OpenID Connect: by its tokens, and by a browser where a client is named. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  CALLBACK_PATH,
  codeFlow,
  identifyByOidc,
  Issuer,
  loginRoutes,
  readSessionKey,
  Sessions,
} from '../../access/index.ts';
import type { Identify, Route } from '../../http/index.ts';
import { Fault, Unavailable } from '../../query/index.ts';
import type { Config } from '../../settings/config.ts';
import type { ServerLogger } from '../../terminal/log.ts';
import { checkScope } from './scopes.ts';

/** How callers are known, and the routes by which they sign in. */
export interface Access {
  readonly identify: Identify;
  readonly routes: readonly Route[];
}

/** Strangers can make up keys: the issuer is asked for them once in so long. */
const COOLDOWN_MS = 30_000;

/** @throws {Fault} when a setting is missing */
export function openOidc(config: Config, log: ServerLogger): Access {
  const { oidcIssuer, oidcAudience: audience, groupRoles, oidcClientId: clientId } = config;
  if (oidcIssuer === undefined) throw lacking('--oidc-issuer', 'https://login.example.com');
  if (audience === undefined) throw lacking('--oidc-audience', 'prorata');
  const issuer = new Issuer(oidcIssuer, (sentence) => log.error({}, sentence));
  const { oidcGroupsClaim: groupsClaim, oidcFilterClaim: filterClaim } = config;
  const told = { groupRoles, groupsClaim, filterClaim, checkFilter: checkScope };
  const asked = { issuer, nowMs: Date.now, cooldownMs: COOLDOWN_MS };
  const identify = identifyByOidc({ ...asked, ...told, audience });
  if (clientId === undefined) return { identify, routes: [] };
  const { publicUrl } = config;
  if (publicUrl === undefined) throw lacking('--public-url', 'https://costs.example.com');
  const redirectUri = publicUrl + CALLBACK_PATH;
  const flow = codeFlow({ ...asked, clientId, clientSecret: secretOf(config), redirectUri });
  const key = sessionKeyOf(config);
  const sessions = new Sessions({ ...told, key, nowMs: Date.now });
  const leading = { publicUrl, issuerUrl: oidcIssuer };
  const routes = loginRoutes({ flow, sessions, key, nowMs: Date.now, ...leading });
  return { identify: sessions.orBy(identify), routes };
}

function lacking(flag: string, example: string): Fault {
  return new Fault(`--auth oidc needs ${flag}`, {
    parameter: flag,
    hint: `for example ${flag} ${example}`,
  });
}

/** A file is read for each sign-in: secrets are renewed. */
function secretOf({ oidcClientSecretFile: path }: Config): () => string | undefined {
  if (path === undefined) return () => undefined;
  return () => {
    try {
      return readFileSync(path, 'utf8').trim();
    } catch (cause) {
      throw new Unavailable(`cannot read the secret of the client from ${path}`, { cause });
    }
  };
}

function sessionKeyOf({ sessionKeyFile: path }: Config): Uint8Array {
  if (path === undefined) return randomBytes(32);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const parameter = '--session-key-file';
    throw new Fault(`cannot read the key of sessions: ${why}`, { parameter, cause });
  }
  return readSessionKey(text, path);
}

/** Settings of who may ask. */
import { isNetwork, issuerUrl } from '../access/index.ts';
import { ROLES, type Role } from '../http/index.ts';
import type { Rows } from './settings.ts';

export const AUTH_KINDS = ['none', 'tokens', 'oidc', 'proxy'] as const;

export type AuthKind = (typeof AUTH_KINDS)[number];

export interface AccessSettings {
  readonly auth: AuthKind;
  /** The file of tokens. */
  readonly tokens: string | undefined;
  /** How many tokens that are not accepted one address may send a minute; 0: any. */
  readonly failedSignIns: number;
  /** As it writes itself into tokens. */
  readonly oidcIssuer: string | undefined;
  readonly oidcAudience: string | undefined;
  readonly oidcGroupsClaim: string;
  readonly oidcFilterClaim: string | undefined;
  /** The client by which browsers sign in; undefined: they cannot. */
  readonly oidcClientId: string | undefined;
  readonly oidcClientSecretFile: string | undefined;
  /** Where browsers find this server. */
  readonly publicUrl: string | undefined;
  readonly sessionKeyFile: string | undefined;
  /** Addresses and networks of proxies that tell who asks. */
  readonly trustedProxies: readonly string[];
  /** Names of headers, in lower case. */
  readonly proxyUserHeader: string;
  readonly proxyGroupsHeader: string;
  /** Roles by the name of the group that has them. */
  readonly groupRoles: ReadonlyMap<string, Role>;
}

export const ACCESS_SETTINGS: Rows<AccessSettings> = {
  auth: {
    key: 'auth',
    env: 'AUTH',
    help: 'how callers sign in: none; by --tokens; by --oidc-issuer; by a proxy of --trusted-proxies',
    accepted: `one of ${AUTH_KINDS.join(', ')}`,
    example: 'tokens',
    fallback: () => 'none',
    read: (text) => AUTH_KINDS.find((kind) => kind === text),
  },
  tokens: {
    key: 'tokens',
    env: 'TOKENS_FILE',
    help: 'a file of tokens for --auth tokens, YAML; read again when it changes',
    accepted: 'a path',
    example: '/etc/prorata/tokens.yaml',
    otherwise: 'none',
    fallback: () => undefined,
    read: pathText,
  },
  failedSignIns: {
    key: 'failedSignIns',
    env: 'FAILED_SIGN_INS',
    help: 'tokens that are not accepted one address may send a minute, with --auth tokens; 0: any',
    accepted: 'a whole number in 0 to 1000000',
    example: '60',
    fallback: () => 60,
    read: (text) => (/^\d{1,6}$|^1000000$/.test(text) ? Number(text) : undefined),
  },
  oidcIssuer: {
    key: 'oidcIssuer',
    env: 'OIDC_ISSUER',
    help: 'issuer of the tokens of --auth oidc, as it writes itself into them',
    accepted: 'a URL by https, or by http of this machine, without a query',
    example: 'https://login.example.com/realms/main',
    otherwise: 'none',
    fallback: () => undefined,
    read: (text) => (issuerUrl(text)?.search === '' ? text : undefined),
  },
  oidcAudience: {
    key: 'oidcAudience',
    env: 'OIDC_AUDIENCE',
    help: 'audience that a token of the issuer has to be for',
    accepted: 'a text without blanks',
    example: 'prorata',
    otherwise: 'none',
    fallback: () => undefined,
    read: claimText,
  },
  oidcGroupsClaim: {
    key: 'oidcGroupsClaim',
    env: 'OIDC_GROUPS_CLAIM',
    help: 'claim of a token with the groups of who asks',
    accepted: 'the name of a claim',
    example: 'roles',
    fallback: () => 'groups',
    read: claimText,
  },
  oidcFilterClaim: {
    key: 'oidcFilterClaim',
    env: 'OIDC_FILTER_CLAIM',
    help: 'claim of a token with the filter of rows for who asks, * for all',
    accepted: 'the name of a claim',
    example: 'prorata_filter',
    otherwise: 'none, all see all rows',
    fallback: () => undefined,
    read: claimText,
  },
  oidcClientId: {
    key: 'oidcClientId',
    env: 'OIDC_CLIENT_ID',
    help: 'client at the issuer by which browsers sign in at /login',
    accepted: 'a text without blanks',
    example: 'prorata-page',
    otherwise: 'none, browsers cannot',
    fallback: () => undefined,
    read: claimText,
  },
  oidcClientSecretFile: {
    key: 'oidcClientSecretFile',
    env: 'OIDC_CLIENT_SECRET_FILE',
    help: 'a file with the secret of that client; read for each sign-in',
    accepted: 'a path',
    example: '/etc/prorata/client-secret',
    otherwise: 'none, a public client',
    fallback: () => undefined,
    read: pathText,
  },
  publicUrl: {
    key: 'publicUrl',
    env: 'PUBLIC_URL',
    help: 'where browsers find this server; the issuer leads back there',
    accepted: 'a URL by https, or by http of this machine, without a query',
    example: 'https://costs.example.com',
    otherwise: 'none',
    fallback: () => undefined,
    read: (text) => (issuerUrl(text)?.search === '' ? text.replace(/\/+$/, '') : undefined),
  },
  sessionKeyFile: {
    key: 'sessionKeyFile',
    env: 'SESSION_KEY_FILE',
    help: 'a file with the key of sessions, 64 hexadecimal digits',
    accepted: 'a path',
    example: '/etc/prorata/session-key',
    otherwise: 'none, sessions end with the process',
    fallback: () => undefined,
    read: pathText,
  },
  trustedProxies: {
    key: 'trustedProxies',
    env: 'TRUSTED_PROXIES',
    help: 'addresses of proxies that tell who asks, comma-separated; others are ignored',
    accepted: 'a list of addresses and networks',
    example: '10.0.0.0/8,fd00::/8',
    otherwise: 'none',
    fallback: () => [],
    read(text) {
      const networks = text.split(',').map((each) => each.trim());
      return networks.every(isNetwork) ? networks : undefined;
    },
  },
  proxyUserHeader: {
    key: 'proxyUserHeader',
    env: 'PROXY_USER_HEADER',
    help: 'header in which the proxy names who asks',
    accepted: 'the name of a header',
    example: 'X-Auth-Request-User',
    fallback: () => 'x-forwarded-user',
    read: headerName,
  },
  proxyGroupsHeader: {
    key: 'proxyGroupsHeader',
    env: 'PROXY_GROUPS_HEADER',
    help: 'header in which the proxy lists the groups of who asks',
    accepted: 'the name of a header',
    example: 'X-Auth-Request-Groups',
    fallback: () => 'x-forwarded-groups',
    read: headerName,
  },
  groupRoles: {
    key: 'groupRoles',
    env: 'GROUP_ROLES',
    help: 'roles of groups, comma-separated; who is in none of them may do nothing',
    accepted: `a list of GROUP=ROLE, roles ${ROLES.join(', ')}`,
    example: 'finance=viewer,platform=operator',
    otherwise: 'none',
    fallback: () => new Map(),
    read: readGroupRoles,
  },
};

function pathText(text: string): string | undefined {
  return text.includes('\0') ? undefined : text;
}

function claimText(text: string): string | undefined {
  return /^[^\s\p{Cc}]{1,200}$/u.test(text) ? text : undefined;
}

function headerName(text: string): string | undefined {
  return /^[a-z0-9-]{1,100}$/i.test(text) ? text.toLowerCase() : undefined;
}

function readGroupRoles(text: string): ReadonlyMap<string, Role> | undefined {
  const roles = new Map<string, Role>();
  for (const item of text.split(',')) {
    const at = item.lastIndexOf('=');
    const [group, name] = [item.slice(0, Math.max(0, at)).trim(), item.slice(at + 1).trim()];
    const role = ROLES.find((each) => each === name);
    if (group === '' || role === undefined || roles.has(group)) return undefined;
    roles.set(group, role);
  }
  return roles;
}

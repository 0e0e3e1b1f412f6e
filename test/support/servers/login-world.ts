/** A server on the demo store that callers enter by an issuer: by its tokens, and by a browser's cookie. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLIENT_SECRET, startIssuer, type TestIssuer } from './issuer.ts';
import { startOwnServer, type OwnServer } from './own-server.ts';

export const PUBLIC_URL = 'https://costs.example.com';
export const SESSION_COOKIE = '__Host-prorata';
export const LOGIN_COOKIE = '__Host-prorata-login';
/** In hexadecimal digits, as in the file of the key. */
export const SESSION_KEY: string = 'ab'.repeat(32);

export interface Session {
  /** As a browser sends it. */
  readonly cookie: string;
  readonly csrf: string;
}

export interface LoginWorld {
  readonly issuer: TestIssuer;
  readonly server: OwnServer;
  /** Where the issuer leads back to, and the cookie of that browser. */
  begin(claims: object, query?: string): Promise<readonly [path: string, cookie: string]>;
  signIn(claims: object): Promise<Session>;
  stop(): Promise<void>;
}

/** The same routes, at an issuer that nobody asks. */
export const UNUSED_LOGIN_FLAGS: readonly string[] = [
  '--auth=oidc',
  '--oidc-audience=prorata',
  '--oidc-issuer=http://127.0.0.1:1',
  '--oidc-client-id=page',
  `--public-url=${PUBLIC_URL}`,
];

/** @param folder gets the files of the secret and the key */
export function loginFlags(folder: string, issuerUrl: string): string[] {
  writeFileSync(join(folder, 'secret'), `${CLIENT_SECRET}\n`);
  writeFileSync(join(folder, 'key'), `${SESSION_KEY}\n`);
  return [
    '--auth=oidc',
    '--oidc-audience=prorata',
    `--oidc-issuer=${issuerUrl}`,
    '--oidc-client-id=page',
    `--oidc-client-secret-file=${join(folder, 'secret')}`,
    `--session-key-file=${join(folder, 'key')}`,
    `--public-url=${PUBLIC_URL}/`,
  ];
}

/** @param more flags beside those of signing in */
export async function startLoginWorld(more: readonly string[]): Promise<LoginWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-login-'));
  const issuer = await startIssuer();
  const flags = ['--demo=true', '--workers=1', ...loginFlags(folder, issuer.url), ...more];
  const server = await startOwnServer(flags);
  const begin: LoginWorld['begin'] = async (claims, query = '') => {
    const reply = await fetch(`${server.url}/login${query}`, { redirect: 'manual' });
    if (reply.status !== 302) throw new Error(`/login: ${reply.status} ${await reply.text()}`);
    const back = issuer.signIn(reply.headers.get('location') ?? '', { ...claims });
    if (!back.startsWith(`${PUBLIC_URL}/login/callback?code=`)) throw new Error(back);
    return [back.slice(PUBLIC_URL.length), cookieIn(reply)];
  };
  return {
    issuer,
    server,
    begin,
    async signIn(claims) {
      const [path, login] = await begin(claims);
      const at = `${server.url}${path}`;
      const reply = await fetch(at, { redirect: 'manual', headers: { cookie: login } });
      const cookie = cookieIn(reply);
      const whoami = await fetch(`${server.url}/whoami`, { headers: { cookie } });
      const told = (await whoami.json()) as { data: { csrfToken?: string } | null };
      return { cookie, csrf: told.data?.csrfToken ?? '' };
    },
    async stop() {
      await server.stop();
      await issuer.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The pair that is set, as it is sent back. */
export function cookieIn({ headers }: Response): string {
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

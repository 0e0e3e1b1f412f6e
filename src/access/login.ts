/** Signing in by a browser: `/login` leads to the issuer, which leads back with a code; `/logout` ends the session. */
import { paramsOf, type AdmittedRequest, type HttpReply, type Route } from '../http/index.ts';
import { Fault, refuse } from '../query/index.ts';
import { newAttempt, refusedSignIn, type Attempt, type CodeFlow } from './code-flow.ts';
import { sealerOf, type Sealer } from './sealed.ts';
import { cookie, cookieOf, type Sessions } from './sessions.ts';
import { Spent } from './spent.ts';

export interface LoginOptions {
  readonly flow: CodeFlow;
  readonly sessions: Sessions;
  /** 32 bytes. */
  readonly key: Uint8Array;
  readonly nowMs: () => number;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly issuerUrl: string;
}

export const CALLBACK_PATH = '/login/callback';
const LOGIN_COOKIE = '__Host-prorata-login';
const LOGIN_MS = 600_000;
const RETURN_MAX = 1000;

/** What a browser keeps while its user is at the issuer. */
interface Begun extends Attempt {
  readonly returnTo: string;
}

export function loginRoutes(options: LoginOptions): Route[] {
  const { flow, sessions, key, nowMs, publicUrl } = options;
  const sealer = sealerOf(key, 'login', nowMs);
  const spent = new Spent();
  const open = { needs: 'nobody', scoping: 'unneeded' } as const;
  return [
    {
      ...open,
      method: 'GET',
      path: '/login',
      async handle(request) {
        const returnTo = ownPath(paramsOf(request).text('return') ?? '/');
        const attempt = newAttempt();
        const kept = sealer.seal({ ...attempt, returnTo }, nowMs() + LOGIN_MS);
        return leadTo(await flow.begin(attempt), cookie(LOGIN_COOKIE, kept, LOGIN_MS));
      },
    },
    {
      ...open,
      method: 'GET',
      path: CALLBACK_PATH,
      async handle(request) {
        const { code, begun } = readCallback(request, sealer, options.issuerUrl);
        if (spent.has(begun.state)) throw refusedSignIn('this sign-in was used before');
        spent.add(begun.state);
        const claims = await flow.finish(begun, code);
        return leadTo(`${publicUrl}${begun.returnTo}`, sessions.begin(claims));
      },
    },
    {
      ...open,
      method: 'POST',
      path: '/logout',
      handle(request) {
        const headers = { ...ALONE, 'set-cookie': sessions.end(request) };
        return { status: 204, headers, body: '' };
      },
    },
  ];
}

const ALONE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } as const;

function leadTo(location: string, setCookie: string): HttpReply {
  return { status: 302, headers: { ...ALONE, location, 'set-cookie': setCookie }, body: '' };
}

const CALLBACK_PARAMETERS = ['code', 'state', 'iss', 'error'] as const;

/** @throws {Fault} 403 for what does not go on with what this browser began */
function readCallback(
  request: AdmittedRequest,
  sealer: Sealer,
  issuerUrl: string,
): { readonly code: string; readonly begun: Begun } {
  const query = paramsOf(request);
  for (const name of CALLBACK_PARAMETERS) query.accept(name);
  const begun = sealer.open(cookieOf(request, LOGIN_COOKIE) ?? '') as Begun | undefined;
  if (begun === undefined) throw refusedSignIn('this browser began none in the last ten minutes');
  if (query.text('state') !== begun.state) throw refusedSignIn('state is that of another sign-in');
  // https://www.rfc-editor.org/rfc/rfc9207
  if ((query.text('iss') ?? issuerUrl) !== issuerUrl) throw refusedSignIn('iss is another issuer');
  const error = query.text('error');
  if (error !== undefined) {
    const shown = /^[a-z_]{1,40}$/.test(error) ? error : 'an error';
    throw refusedSignIn(`the issuer tells ${shown}`);
  }
  const code = query.text('code');
  if (code === undefined || code === '') throw refusedSignIn('there is no code');
  return { code, begun };
}

/**
 * A path of this server, as browsers understand it.
 * @throws {Fault} for one that leads elsewhere
 */
export function ownPath(text: string): string {
  const here = 'http://prorata.invalid';
  const isPath = /^\/(?![/\\])/.test(text) && text.length <= RETURN_MAX;
  const url = isPath && URL.canParse(text, here) ? new URL(text, here) : undefined;
  const path = url === undefined ? '' : `${url.pathname}${url.search}${url.hash}`;
  if (url?.origin === here && !path.startsWith('//')) return path;
  throw refuse('return', text, 'a path of this server', '/allocation?window=7d');
}

/** @throws {Fault} for what is no key; it is not shown */
export function readSessionKey(text: string, path: string): Uint8Array {
  const hex = text.trim();
  if (/^[0-9a-f]{64}$/i.test(hex)) return Buffer.from(hex, 'hex');
  throw new Fault(`${path} has no key of 64 hexadecimal digits`, {
    parameter: '--session-key-file',
    hint: 'openssl rand -hex 32 makes one',
  });
}

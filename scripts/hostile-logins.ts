/** How hostile requests sign in: by a good cookie mostly, and at the routes of signing in by all that is none. */
import { createCipheriv, createHash } from 'node:crypto';
import type { Seeded } from './seeded.ts';

/** The key of the server that is fuzzed, in hexadecimal digits. */
export const SESSION_KEY: string = '5e'.repeat(32);
/** The group whose members may do everything. */
export const GROUP = 'hostiles';
export const PUBLIC_URL = 'https://fuzz.example.com';
/** They exist where browsers sign in. */
export const LOGIN_ROUTES = [
  ['GET', '/login'],
  ['GET', '/login/callback'],
  ['POST', '/logout'],
] as const;

type Header = readonly [name: string, value: string];

const CSRF = 'hostile-csrf';
const LATER_MS = 8e15;
const PATHS = ['/', '/allocation?window=7d', '//evil.example.com', '/\\evil.example.com', '/.//evil.example.com', 'https://evil.example.com', 'javascript:alert(1)', '/\t/evil.example.com', '/%2f%2fevil.example.com', `/${'a'.repeat(2000)}`, '/a\r\nset-cookie: a=b', '/\u{1F600}', '']; // prettier-ignore
const ERRORS = ['access_denied', '<b>', 'a'.repeat(3000), ''];

/** As the server seals it, but for the same bytes each time. */
function sealed(purpose: string, value: object, expiresMs: number, key = SESSION_KEY): string {
  const plain = JSON.stringify({ value, expiresMs });
  const iv = createHash('sha256').update(plain).digest().subarray(0, 12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'hex'), iv);
  const text = cipher.setAAD(Buffer.from(purpose)).update(plain, 'utf8');
  return Buffer.concat([iv, text, cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

const session = (expiresMs: number, key?: string): string => {
  const claims = { sub: 'hostile', groups: [GROUP] };
  return `__Host-prorata=${sealed('session', { csrf: CSRF, expiresMs, claims }, expiresMs, key)}`;
};
const begun = (state: string, returnTo: string): string => {
  const value = { state, nonce: 'n', verifier: 'v'.repeat(43), returnTo };
  return `__Host-prorata-login=${sealed('login', value, LATER_MS)}`;
};

const SESSION = session(LATER_MS);

/** Signs a request in, as an administrator. */
export const SIGNED_IN: readonly Header[] = [
  ['cookie', SESSION],
  ['x-csrf-token', CSRF],
];

const COOKIES: readonly ((random: Seeded) => string)[] = [
  () => SESSION,
  () => session(1),
  () => session(LATER_MS, 'ee'.repeat(32)),
  (random) => begun(stateOf(random), '/'),
  (random) => begun(stateOf(random), '/').replace('-login', ''),
  () => SESSION.replace('prorata', 'prorata-login'),
  (random) => broken(random, SESSION),
  (random) => broken(random, begun(stateOf(random), '/')),
  () => `${SESSION}; ${SESSION}`,
  () => `__Host-prorata=; ${SESSION}`,
  () => '__Host-prorata=',
  (random) => `__Host-prorata=${'A'.repeat(random.below(30_000))}`,
  (random) => `__Host-prorata-login=${'A'.repeat(random.below(30_000))}`,
  (random) => 'a=b; '.repeat(random.below(4000)),
  (random) => ';,=" '.repeat(random.below(4000)),
  () => '__Host-prorata=%00%ff\u00ff; __Host-prorata-login={"state":"s1"}',
];

/** Few, so that some are used again. */
function stateOf(random: Seeded): string {
  return `s${random.below(40)}`;
}

function broken(random: Seeded, cookie: string): string {
  const at = cookie.indexOf('=') + 1 + random.below(60);
  if (random.is(0.3)) return cookie.slice(0, at);
  return `${cookie.slice(0, at)}${random.of(['A', '_', '.', '=', '%', ' '])}${cookie.slice(at + 1)}`;
}

/** What tells who asks. @param path without prefix */
export function credentialsOf(random: Seeded, path: string): readonly Header[] {
  const isLogin = LOGIN_ROUTES.some((route) => route[1] === path);
  if (!isLogin && random.is(0.98)) return SIGNED_IN;
  const cookie: Header = ['cookie', random.of(COOKIES)(random)];
  const csrf: Header = ['x-csrf-token', random.of([CSRF, '', 'x', 'x'.repeat(9000)])];
  const token: Header = ['authorization', random.of(['Bearer x', 'Bearer', 'Basic eDp5', `Bearer ${'a'.repeat(9000)}`, 'Bearer a.b.c', 'Bearer eyJhbGciOiJub25lIn0.e30.'])]; // prettier-ignore
  const headers = [cookie, ...(random.is(0.4) ? [cookie] : []), ...(random.is(0.5) ? [csrf] : [])];
  return random.is(0.2) ? [...headers, token] : headers;
}

/** Undefined for routes that take part in no sign-in. @returns without `?` */
export function loginQuery(random: Seeded, path: string): string | undefined {
  const pair = (name: string, value: string): string => `${name}=${encodeURIComponent(value)}`;
  const twice = (text: string): string => (random.is(0.1) ? `${text}&${text}` : text);
  if (path === '/login') return twice(pair('return', random.of(PATHS)));
  if (path !== '/login/callback') return undefined;
  const parts = [
    pair('state', random.is(0.8) ? stateOf(random) : random.of(['', 'x', 's'.repeat(5000)])),
    pair('code', random.of(['c', '', 'c'.repeat(5000), '\0', '\u{1F600}'])),
    pair('iss', random.of(['https://evil.example.com', '', 'x'])),
    pair('error', random.of(ERRORS)),
  ];
  const chosen = parts.filter((_, at) => random.is(at < 2 ? 0.9 : 0.15));
  return chosen.map(twice).join('&');
}

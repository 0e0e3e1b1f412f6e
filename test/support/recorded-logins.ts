/** Recorded requests of those who sign in, and of those who do not. */
import { SIGNED_IN } from '../../scripts/hostile-logins.ts';
import { get, gets, pair, send, type RecordedRequest } from './recorded-request.ts';

const AT = { server: 'login' } as const;
const RANDOM = 'state, nonce and challenge differ each time';
/** A session by the key of another server. */
const [OTHERS = ['cookie', '']] = SIGNED_IN;
const cookie = (value: string): Readonly<Record<string, string>> => ({ cookie: value });
const TOKENS = [['none', 'Bearer x'], ['half', 'Bearer'], ['another scheme', 'Basic eDp5']] as const; // prettier-ignore
const PLACES = [
  '//evil.example.com',
  '/\\evil.example.com',
  'https://evil.example.com',
  'a',
  `/${'x'.repeat(1000)}`,
];

export const LOGIN_REQUESTS: readonly RecordedRequest[] = [
  ...gets('/login', ['', '?return=', '?return=/allocation', `?${pair('return', '/a?b=c#d')}`], { ...AT, varies: RANDOM }),
  ...PLACES.map((place) => get(`/login?${pair('return', place)}`, AT)),
  get('/login?return=/a&return=/b', AT),
  ...gets('/login/callback', ['', '?code=a&state=b', '?code=a&code=b&state=c', '?error=access_denied&state=a', '?state='], AT),
  get('/login/callback?code=a&state=b', { ...AT, headers: cookie('__Host-prorata-login=AAAA'), note: 'a cookie that is none' }),
  get('/login/callback?code=a&state=b', { ...AT, headers: cookie(OTHERS[1].replace('prorata', 'prorata-login')), note: 'a cookie of another key' }),
  send('POST', '/logout', '', AT),
  send('POST', '/logout', '', { ...AT, headers: cookie('__Host-prorata=AAAA'), note: 'a cookie that is none' }),
  ...['/login', '/login/callback'].flatMap((path) => ['OPTIONS', 'POST', 'DELETE'].map((method) => send(method, path, '', AT))),
  ...['GET', 'OPTIONS', 'PUT'].map((method) => send(method, '/logout', '', AT)),
  ...gets('/', ['whoami', 'healthz', 'allocation?window=today', 'nowhere', 'metrics'], AT),
  ...TOKENS.map(([note, authorization]) => get('/whoami', { ...AT, headers: { authorization }, note })),
  get('/whoami', { ...AT, headers: cookie(OTHERS[1]), note: 'a cookie of another key' }),
  send('POST', '/collections', '{}', AT),
]; // prettier-ignore

/** A session is opened once, as long as it lasts, and what it tells stays right. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sealerOf } from '../../src/access/sealed.ts';
import { SESSION_COOKIE, Sessions } from '../../src/access/sessions.ts';
import type { HttpRequest, Identified } from '../../src/http/index.ts';
import { ownVisit } from '../../src/http/visit.ts';

const KEY = Buffer.alloc(32, 7);

function request(cookie: string, csrf: string = ''): HttpRequest {
  const headers: Readonly<Record<string, string>> = { cookie, 'x-csrf-token': csrf };
  const header = (name: string): string => headers[name] ?? '';
  const body = new Uint8Array(0);
  const signal = AbortSignal.any([]);
  return { method: 'GET', path: '/', query: '', body, header, visit: ownVisit(), signal };
}

interface Opened {
  readonly sessions: Sessions;
  readonly checked: string[];
  ask(cookie: string): Identified;
  pass(ms: number): void;
}

function opened(): Opened {
  let nowMs = 1000;
  const checked: string[] = [];
  const sessions = new Sessions({
    key: KEY,
    nowMs: () => nowMs,
    groupsClaim: 'groups',
    filterClaim: 'rows',
    groupRoles: new Map([['viewers', 'viewer']]),
    checkFilter: (text) => void checked.push(text),
  });
  const identify = sessions.orBy(() => assert.fail('another way to sign in'));
  return {
    sessions,
    checked,
    ask: (cookie) => identify(request(cookie)) as Identified,
    pass: (ms) => void (nowMs += ms),
  };
}

const claimsOf = (sub: string): Readonly<Record<string, unknown>> => ({
  sub,
  groups: ['viewers'],
  rows: `namespace:"${sub}"`,
});
const begin = ({ sessions }: Opened, sub: string): string =>
  sessions.begin(claimsOf(sub)).split(';')[0] ?? '';
const filterOf = (who: Identified): unknown => ('roles' in who ? who.filter : who.why);

test('the filter of a session is read once, and each session has its own', () => {
  const world = opened();
  const cookies = ['a', 'b'].map((sub) => begin(world, sub));
  world.checked.length = 0;
  for (let i = 0; i < 10; i++)
    assert.deepEqual(
      cookies.map((cookie) => filterOf(world.ask(cookie))),
      ['namespace:"a"', 'namespace:"b"'],
    );
  assert.deepEqual(world.checked, ['namespace:"a"', 'namespace:"b"']);
});

test('S-12: a session that is known ends when it is over, and when its user signs out', () => {
  const world = opened();
  const [one, other] = [begin(world, 'a'), begin(world, 'b')];
  const who = world.ask(one);
  assert.ok('roles' in who && who.csrfToken !== undefined);
  world.ask(other);
  world.sessions.end(request(one, who.csrfToken));
  assert.equal(filterOf(world.ask(one)), 'the session has ended');
  assert.equal(filterOf(world.ask(other)), 'namespace:"b"');
  world.pass(8 * 3_600_000);
  assert.equal(filterOf(world.ask(other)), 'the session has ended');
});

test('what is forgotten among 2,000 sessions is opened again', () => {
  const world = opened();
  const sealer = sealerOf(KEY, 'session', () => 0);
  const cookies = Array.from({ length: 2001 }, (_, i) => {
    const value = { csrf: `c${i}`, expiresMs: 9000, claims: claimsOf(`n${i}`) };
    return `${SESSION_COOKIE}=${sealer.seal(value, 9000)}`;
  });
  for (const cookie of cookies) world.ask(cookie);
  assert.equal(world.checked.length, 2001);
  assert.equal(filterOf(world.ask(cookies[2000] ?? '')), 'namespace:"n2000"');
  assert.equal(world.checked.length, 2001);
  assert.equal(filterOf(world.ask(cookies[0] ?? '')), 'namespace:"n0"');
  assert.equal(world.checked.length, 2002);
});

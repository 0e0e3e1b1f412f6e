/** Guesses are slow, and who is signed in does not notice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { slowGuesses } from '../../src/access/failed-sign-ins.ts';
import { EVERYBODY } from '../../src/http/caller.ts';
import type { HttpRequest, Identified, Identify } from '../../src/http/index.ts';
import { Visit } from '../../src/http/visit.ts';

const PER_MINUTE = 6;

interface World {
  nowMs: number;
  /** `ok`, `401`, `429`, or the seconds to wait for. */
  ask(address: string, token: string): string;
  retryAfter(address: string, token: string): number | undefined;
}

function start(): World {
  const identify: Identify = (request) => {
    const token = request.header('authorization');
    if (token.startsWith('good')) return { ...EVERYBODY, isSignedIn: true };
    return { why: 'not known', isRefused: token !== '' };
  };
  const limited = slowGuesses(identify, { perMinute: PER_MINUTE, nowMs: () => world.nowMs });
  const identified = (address: string, token: string): Identified =>
    limited(requestOf(address, token)) as Identified;
  const world: World = {
    nowMs: 0,
    ask(address, token) {
      const who = identified(address, token);
      if ('roles' in who) return 'ok';
      return String(who.instead?.status ?? 401);
    },
    retryAfter(address, token) {
      const who = identified(address, token);
      return 'instead' in who && who.instead !== undefined && 'retryAfterSeconds' in who.instead
        ? who.instead.retryAfterSeconds
        : undefined;
    },
  };
  return world;
}

function requestOf(address: string, token: string): HttpRequest {
  const header = (name: string): string => (name === 'authorization' ? token : '');
  const visit = new Visit({ headers: new Map(), repeated: new Set() }, () => address);
  const signal = AbortSignal.any([]);
  return { method: 'GET', path: '/', query: '', body: new Uint8Array(0), header, visit, signal };
}

test('S-12: an address has so many failures a minute, then 429 with the time to wait', () => {
  const world = start();
  for (let i = 0; i < PER_MINUTE; i++) assert.equal(world.ask('10.0.0.1', `guess ${i}`), '401');
  assert.equal(world.ask('10.0.0.1', 'guess'), '429');
  assert.equal(world.retryAfter('10.0.0.1', 'guess'), 10);
  assert.equal(world.ask('10.0.0.2', 'guess'), '401', 'another address');
  world.nowMs += 10_000;
  assert.equal(world.ask('10.0.0.1', 'guess'), '401');
});

test('S-12: an accepted credential passes, whatever others behind its address send', () => {
  const world = start();
  for (let i = 0; i < 100; i++) {
    world.ask('10.0.0.1', `guess ${i}`);
    assert.equal(world.ask('10.0.0.1', `good ${i}`), 'ok');
  }
});

test('requests without a credential are no guesses', () => {
  const world = start();
  for (let i = 0; i < 100; i++) assert.equal(world.ask('10.0.0.1', ''), '401');
  assert.equal(world.ask('10.0.0.1', 'good'), 'ok');
});

test('a network of IPv6 is one address', () => {
  const world = start();
  for (let i = 0; i < PER_MINUTE; i++) world.ask(`2001:db8::${i + 1}`, 'guess');
  assert.equal(world.ask('2001:db8::ffff', 'guess'), '429');
  assert.equal(world.ask('2001:db8:0:1::1', 'guess'), '401');
});

test('S-12: in no time are more answered by 401 than the rate allows', () => {
  const step = fc.record({ ms: fc.integer({ min: 0, max: 20_000 }), guesses: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const world = start();
      let refused = 0;
      for (const { ms, guesses } of steps) {
        world.nowMs += ms;
        for (let i = 0; i < guesses; i++)
          refused += Number(world.ask('10.0.0.1', 'guess') === '401');
      }
      assert.ok(refused <= PER_MINUTE + (world.nowMs / 60_000) * PER_MINUTE + 1e-6);
    }),
  );
});

test('addresses are bounded: the one that guessed first is forgotten first', () => {
  const world = start();
  for (let i = 0; i < PER_MINUTE; i++) world.ask('10.255.0.1', 'guess');
  for (let i = 0; i < 10_000; i++) world.ask(`10.0.${i >> 8}.${i & 255}`, 'guess');
  assert.equal(world.ask('10.255.0.1', 'guess'), '401');
});

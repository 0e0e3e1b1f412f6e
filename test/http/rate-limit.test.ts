/** How often one client may ask. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EVERYBODY } from '../../src/http/caller.ts';
import { rateLimiter } from '../../src/http/limits/rate-limit.ts';
import type { HttpReply } from '../../src/http/server.ts';
import { Visit } from '../../src/http/visit.ts';
import { measured } from '../support/measured.ts';

/** A handler that limits clients to `perSecond`, and a clock. */
function limited(perSecond: number): {
  /** @returns the status, and when to come back */
  ask: (
    peer: string,
    options?: { who?: string; path?: string; headers?: [string, string][] },
  ) => Promise<string>;
  bodies: unknown[];
  passMs: (ms: number) => void;
} {
  let nowMs = 0;
  const bodies: unknown[] = [];
  const handler = rateLimiter({
    perSecond,
    isOpen: (path) => path === '/healthz',
    nowMs: () => nowMs,
  })(() => ({ status: 200, headers: {}, body: '' }));
  return {
    bodies,
    passMs: (ms) => (nowMs += ms),
    async ask(peer, { who = '', path = '/allocation', headers = [] } = {}) {
      const given = new Map(headers);
      const visit = new Visit({ headers: given, repeated: new Set() }, () => peer);
      visit.who = who;
      const reply: HttpReply = await handler({
        method: 'GET', path, query: '', body: new Uint8Array(), visit, caller: EVERYBODY,
        signal: new AbortController().signal, header: (name) => given.get(name) ?? '',
      }); // prettier-ignore
      const { body } = reply;
      const isShort = typeof body === 'string' || body instanceof Uint8Array;
      if (isShort && reply.status !== 200) bodies.push(JSON.parse(Buffer.from(body).toString()));
      return `${reply.status} ${reply.headers['retry-after'] ?? ''}`.trim();
    },
  };
}

async function many(count: number, ask: () => Promise<string>): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    const status = await ask();
    found.set(status, (found.get(status) ?? 0) + 1);
  }
  return found;
}

describe('a limit of requests', () => {
  test("P-O3: ten seconds' worth at once, then the rate, then 429 with when to come back", async (t) => {
    const { ask, passMs, bodies } = limited(2);
    const first = await many(400, () => ask('10.0.0.7'));
    assert.deepEqual(Object.fromEntries(first), { 200: 20, '429 1': 380 });
    assert.deepEqual(bodies[0], {
      code: 429,
      message: '10.0.0.7 asks more than 2 requests a second',
      data: null,
      hint: 'ask again in 1 s; the operator sets the rate by --rate-limit',
    });
    passMs(3000);
    assert.deepEqual(Object.fromEntries(await many(10, () => ask('10.0.0.7'))), {
      200: 6,
      '429 1': 4,
    });
    assert.equal(await ask('10.0.0.8'), '200', 'another client');
    measured(t, 'P-O3', 'of 400 requests at once by a client of 2 a second 380 got 429');
  });

  test('a rate below one a second tells how long to wait', async () => {
    const { ask, passMs } = limited(0.1);
    assert.equal(await ask('10.0.0.7'), '200');
    assert.equal(await ask('10.0.0.7'), '429 10');
    passMs(9000);
    assert.equal(await ask('10.0.0.7'), '429 1');
    passMs(1000);
    assert.equal(await ask('10.0.0.7'), '200');
  });

  test('what is open to all is not counted', async () => {
    const { ask } = limited(0.1);
    assert.deepEqual(
      Object.fromEntries(await many(50, () => ask('10.0.0.7', { path: '/healthz' }))),
      { 200: 50 },
    );
  });

  for (const [what, one, other, isSame] of [
    ['another address', ['10.0.0.7'], ['10.0.0.8'], false],
    ['another name from one address', ['10.0.0.7', 'ann'], ['10.0.0.7', 'bob'], false],
    ['one name from two addresses', ['10.0.0.7', 'ann'], ['10.0.0.8', 'ann'], true],
    [
      'two addresses of one network of IPv6',
      ['2001:db8:0:1::7'],
      ['2001:0db8:0000:0001:ffff:0000:0000:0001'],
      true,
    ],
    ['two networks of IPv6', ['2001:db8:0:1::7'], ['2001:db8:0:2::7'], false],
    ['another x-forwarded-for', ['10.0.0.7'], ['10.0.0.7', '', '1.2.3.4'], true],
  ] as const)
    // prettier-ignore
    test(`${what} is ${isSame ? 'the same client' : 'another client'}`, async () => {
      const { ask } = limited(0.1);
      const by = ([peer, who = '', forwarded]: readonly [string, string?, string?]): Promise<string> =>
        ask(peer, { who, headers: forwarded === undefined ? [] : [['x-forwarded-for', forwarded]] });
      assert.equal(await by(one), '200');
      assert.equal(await by(other), isSame ? '429 10' : '200');
    });

  test('clients that are many are not kept for ever', async () => {
    const { ask } = limited(0.1);
    const forgotten = '10.0.0.0';
    assert.equal(await ask(forgotten), '200');
    assert.equal(await ask(forgotten), '429 10');
    for (let i = 1; i <= 10_000; i++) await ask(`10.1.${i >> 8}.${i & 255}`);
    assert.equal(await ask(forgotten), '200', 'a full bucket, as it was forgotten');
  });
});

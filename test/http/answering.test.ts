/** The recipe of an answer in chunks: after each way that it can end, turns and chunks are given back. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault, Unavailable } from '../../src/query/index.ts';
import { allBack, ETAG, recipeOf, SERVINGS, text, type Way } from './counted-recipe.ts';
import { dial, FRONT_ENDS, serving, until } from './front-ends.ts';

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield await Promise.resolve(new Uint8Array(1024 * 1024));
}

async function* brokenAfterTheFirst(): AsyncGenerator<Uint8Array> {
  yield* text('the first chunk')();
  throw new Unavailable('the store is gone');
}

// eslint-disable-next-line require-yield -- it throws first
async function* brokenAtOnce(): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  throw new Unavailable('the store is gone', { retryAfterSeconds: 7 });
}

const fault = (message: string, status: number) => (): never => {
  throw new Fault(message, { status });
};

/** Ways that end before a byte of the answer is sent. */
const REFUSED: readonly (readonly [way: string, Way, status: number, found: number, started: number, retryAfter: string | null])[] = [
  ['a plan that cannot be read', { plan: fault('what is that', 400) }, 400, 0, 0, null],
  ['nothing to answer from', { find: fault('there is none', 404) }, 404, 1, 0, null],
  ['an answer that cannot be made', { chunks: fault('too much', 422) }, 422, 1, 0, null],
  ['a refused turn', { turns: 'refused' }, 503, 1, 0, '5'],
  ['chunks that fail before the first', { chunks: brokenAtOnce }, 503, 1, 1, '7'],
]; // prettier-ignore

/** Servings that begin an answer before its head. */
const BEGINNING: readonly string[] = ['begun', 'cachedOnceRead', 'inTurnShared'];

for (const { name: engine, frontEnd } of FRONT_ENDS) {
  for (const name of Object.keys(SERVINGS)) {
    describe(`an answer served as ${name} on ${engine}`, () => {
      test('has its chunks and its tag', async () => {
        const { handler, counts } = recipeOf(name, {});
        await serving(frontEnd, handler, async ({ url }) => {
          const answer = await fetch(url);
          assert.equal(await answer.text(), 'abcdef');
          assert.match(answer.headers.get('etag') ?? '', ETAG);
          await allBack(counts, 1);
        });
      });

      test('is whole without a chunk', async () => {
        const { handler, counts } = recipeOf(name, { chunks: text() });
        await serving(frontEnd, handler, async ({ url }) => {
          const answer = await fetch(url);
          assert.deepEqual([answer.status, await answer.text()], [200, '']);
          await allBack(counts, 1);
        });
      });

      test('costs nothing for a client that has it', async () => {
        const { handler, counts } = recipeOf(name, {});
        await serving(frontEnd, handler, async ({ url }) => {
          const etag = (await fetch(url)).headers.get('etag') ?? '';
          await allBack(counts, 1);
          const before = { ...counts };
          const answer = await fetch(url, { headers: { 'if-none-match': etag } });
          assert.equal(answer.status, 304);
          assert.equal(answer.headers.get('etag'), etag);
          // From the cache its tag is the same, and nothing is made.
          const cached = name === 'cachedOnceRead' ? 1 : 0;
          assert.deepEqual(counts, { ...before, found: 2, cached });
          const other = await fetch(`${url}?b`, { headers: { 'if-none-match': etag } });
          assert.equal(other.status, 200);
        });
      });

      for (const [way, steps, status, found, started, retryAfter] of REFUSED) {
        test(`is an error of ${status} for ${way}`, async () => {
          const { handler, counts } = recipeOf(name, steps);
          await serving(frontEnd, handler, async ({ url }) => {
            const answer = await fetch(url);
            assert.equal(answer.status, status);
            assert.equal(answer.headers.get('etag'), null);
            assert.equal(answer.headers.get('retry-after'), retryAfter);
            await allBack(counts, started);
            assert.equal(counts.found, found);
          });
        });
      }

      test('breaks off when its chunks fail after the first', async () => {
        const { handler, counts } = recipeOf(name, { chunks: brokenAfterTheFirst });
        await serving(frontEnd, handler, async ({ url }) => {
          const answer = await fetch(url);
          assert.equal(answer.status, 200);
          await assert.rejects(answer.text());
          await allBack(counts, 1);
        });
      });

      test('waits no longer for a turn than its client', async () => {
        const { handler, counts } = recipeOf(name, { turns: 'never' });
        await serving(frontEnd, handler, async ({ port }) => {
          const socket = await dial(port);
          socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
          await until(() => counts.waiting === 1, 'it waits');
          socket.destroy();
          await until(() => counts.gaveUp === 1, 'it waits no more');
          await allBack(counts, 0);
        });
      });

      test('gives everything back when its reader leaves', async () => {
        const { handler, counts } = recipeOf(name, { chunks: endless });
        await serving(frontEnd, handler, async ({ port }) => {
          const socket = await dial(port);
          socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
          await new Promise((resolve) => void socket.once('data', resolve));
          assert.deepEqual([counts.started, counts.ended], [1, 0]);
          socket.destroy();
          await allBack(counts, 1);
        });
      });
    });
  }

  for (const name of Object.keys(SERVINGS)) {
    test(`HEAD of an answer served as ${name} holds nothing afterwards, on ${engine}`, async () => {
      const { handler, counts } = recipeOf(name, {});
      await serving(frontEnd, handler, async ({ url }) => {
        const answer = await fetch(url, { method: 'HEAD' });
        assert.equal(answer.status, 200);
        assert.match(answer.headers.get('etag') ?? '', ETAG);
        // These begin an answer before its head.
        await allBack(counts, BEGINNING.includes(name) ? 1 : 0);
        if (name === 'inTurnWhileRead') assert.equal(counts.entered, 0);
      });
    });
  }

  for (const name of ['begun', 'inTurnShared', 'cachedOnceRead']) {
    test(`${name}: data found while the answer is made is in the head, on ${engine}`, async () => {
      const later = { warning: 'a day is lost', isDamaged: true };
      const { handler } = recipeOf(name, { later });
      await serving(frontEnd, handler, async ({ url }) => {
        const { headers } = await fetch(url);
        assert.equal(headers.get('x-prorata-warnings'), 'a day is lost');
        assert.equal(headers.get('etag'), null);
      });
    });
  }
}

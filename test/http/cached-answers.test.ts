/** Short answers are cached before they are sent, long ones streamed in their own turn and cached once read. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allBack, recipeOf, text } from './counted-recipe.ts';
import { dial, FRONT_ENDS, serving, until } from './front-ends.ts';

for (const { name: engine, frontEnd } of FRONT_ENDS) {
  describe(`an answer that is cached once it is read, on ${engine}`, () => {
    const again = async (url: string, headers: Record<string, string> = {}): Promise<Response> =>
      await fetch(url, { headers });

    test('is made once, and 304 for a client that has it', async () => {
      const { handler, counts } = recipeOf('cachedOnceRead', { chunks: text('abc') });
      await serving(frontEnd, handler, async ({ url }) => {
        const first = await again(url);
        const second = await again(url);
        assert.deepEqual([await first.text(), await second.text()], ['abc', 'abc']);
        const etag = second.headers.get('etag') ?? '';
        assert.equal(etag, first.headers.get('etag'));
        assert.equal((await again(url, { 'if-none-match': etag })).status, 304);
        assert.deepEqual([counts.made, counts.cached, counts.entered], [1, 2, 1]);
        await allBack(counts, 1);
      });
    });

    test('is the same bytes from the cache if it is long', async () => {
      const { handler, counts } = recipeOf('cachedOnceRead', {});
      await serving(frontEnd, handler, async ({ url }) => {
        const [first, second] = [await (await again(url)).text(), await (await again(url)).text()];
        assert.equal(second, first);
        assert.deepEqual([counts.made, counts.cached], [1, 1]);
        await allBack(counts, 1);
      });
    });

    test('is made again if its data are damaged, short or long', async () => {
      const later = { warning: 'a day is lost', isDamaged: true };
      for (const way of [{ later }, { chunks: text('abc'), later }]) {
        const { handler, counts } = recipeOf('cachedOnceRead', way);
        await serving(frontEnd, handler, async ({ url }) => {
          await (await again(url)).text();
          await (await again(url)).text();
          assert.deepEqual([counts.made, counts.cached], [2, 0]);
          await allBack(counts, 2);
        });
      }
    });

    test('is an error of 503 and gives its chunks back when too many are streamed', async () => {
      const { handler, counts } = recipeOf('cachedOnceRead', { streams: 'refused' });
      await serving(frontEnd, handler, async ({ url }) => {
        const answer = await again(url);
        assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '5']);
        await allBack(counts, 1);
        assert.equal(counts.entered, 1);
      });
    });

    test('gives its chunks back when its client leaves before it is streamed', async () => {
      const { handler, counts } = recipeOf('cachedOnceRead', { streams: 'never' });
      await serving(frontEnd, handler, async ({ port }) => {
        const socket = await dial(port);
        socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        await until(() => counts.waiting === 1, 'it waits');
        assert.deepEqual([counts.started, counts.ended], [1, 0]);
        socket.destroy();
        await allBack(counts, 1);
      });
    });
  });
}

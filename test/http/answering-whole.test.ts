/** The recipe of an answer that is a single value: its turn is given back after any end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeringWhole } from '../../src/http/answering-whole.ts';
import { json } from '../../src/http/reply.ts';
import type { HttpHandler } from '../../src/http/server.ts';
import { Fault, Unavailable } from '../../src/query/index.ts';
import { dial, FRONT_ENDS, serving, until } from './front-ends.ts';
import { openRouter } from '../support/servers/open-router.ts';

interface Counts {
  waiting: number;
  entered: number;
  computed: number;
  left: number;
}

interface Way {
  readonly turn?: 'refused' | 'never';
  readonly plan?: () => never;
  readonly value?: (signal: AbortSignal) => Promise<string>;
  readonly isTagged?: boolean;
}

function probe(way: Way): { readonly handler: HttpHandler; readonly counts: Counts } {
  const counts: Counts = { waiting: 0, entered: 0, computed: 0, left: 0 };
  const handle = answeringWhole<string, string>({
    plan: way.plan ?? (({ query }) => query),
    turns: {
      async enter(signal) {
        if (way.turn === 'refused')
          throw new Unavailable('too many wait', { retryAfterSeconds: 5 });
        if (way.turn === 'never') await left(signal, counts);
        counts.entered++;
        return () => void counts.left++;
      },
    },
    async value(plan, { signal }) {
      counts.computed++;
      return (await way.value?.(signal)) ?? plan;
    },
    reply: (value) => json({ value }),
    isTagged: () => way.isTagged ?? true,
  });
  const log = (): void => undefined;
  return {
    handler: openRouter(
      [{ method: 'GET', path: '/', needs: 'nobody', scoping: 'unneeded', handle }],
      { log },
    ),
    counts,
  };
}

/** Never ends, unless the client leaves. */
async function left(signal: AbortSignal, counts: Counts): Promise<void> {
  counts.waiting++;
  await new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      counts.waiting--;
      reject(signal.reason as Error);
    });
  });
}

const unread = (): never => {
  throw new Fault('what is that');
};
const failed = async (): Promise<string> => {
  throw await Promise.resolve(new Unavailable('the store is gone'));
};

const REFUSED: readonly (readonly [way: string, Way, status: number, Counts])[] = [
  ['a plan that cannot be read', { plan: unread }, 400, { waiting: 0, entered: 0, computed: 0, left: 0 }],
  ['a refused turn', { turn: 'refused' }, 503, { waiting: 0, entered: 0, computed: 0, left: 0 }],
  ['a value that fails', { value: failed }, 503, { waiting: 0, entered: 1, computed: 1, left: 1 }],
]; // prettier-ignore

for (const { name: engine, frontEnd } of FRONT_ENDS) {
  test(`a value has a tag of its bytes, and a client that has it gets 304, on ${engine}`, async () => {
    const { handler, counts } = probe({});
    await serving(frontEnd, handler, async ({ url }) => {
      const first = await fetch(`${url}?a`);
      assert.equal(await first.text(), '{"value":"a"}');
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^"[\w-]{27}"$/);
      const headers = { 'if-none-match': etag };
      assert.equal((await fetch(`${url}?a`, { headers })).status, 304);
      assert.equal((await fetch(`${url}?b`, { headers })).status, 200);
      assert.equal((await fetch(`${url}?a`, { method: 'HEAD' })).headers.get('etag'), etag);
      assert.deepEqual(counts, { waiting: 0, entered: 4, computed: 4, left: 4 });
    });
  });

  test(`a value that may change has no tag, on ${engine}`, async () => {
    const { handler } = probe({ isTagged: false });
    await serving(frontEnd, handler, async ({ url }) => {
      const answer = await fetch(url, { headers: { 'if-none-match': '*' } });
      assert.deepEqual([answer.status, answer.headers.get('etag')], [200, null]);
    });
  });

  for (const [way, steps, status, expected] of REFUSED) {
    test(`${way} is an error of ${status}, on ${engine}`, async () => {
      const { handler, counts } = probe(steps);
      await serving(frontEnd, handler, async ({ url }) => {
        assert.equal((await fetch(url)).status, status);
        assert.deepEqual(counts, expected);
      });
    });
  }

  for (const where of ['its turn', 'its value'] as const) {
    test(`a client that leaves while it waits for ${where} holds nothing afterwards, on ${engine}`, async () => {
      const state: { counts?: Counts } = {};
      const value = async (signal: AbortSignal): Promise<string> => {
        if (state.counts) await left(signal, state.counts);
        return '';
      };
      const { handler, counts } = probe(where === 'its turn' ? { turn: 'never' } : { value });
      state.counts = counts;
      await serving(frontEnd, handler, async ({ port }) => {
        const socket = await dial(port);
        socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        await until(() => counts.waiting === 1, 'it waits');
        socket.destroy();
        await until(() => counts.waiting === 0 && counts.left === counts.entered, 'all is back');
        assert.equal(counts.entered, where === 'its turn' ? 0 : 1);
      });
    });
  }
}

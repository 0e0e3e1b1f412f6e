/** Identical questions at the same time: one computation, whoever leaves. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import fc from 'fast-check';
import { createAdmission } from '../../src/pool/index.ts';
import { inTurnShared } from '../../src/http/sharing.ts';
import type { HttpReply } from '../../src/http/server.ts';
import { measured } from '../support/measured.ts';

const MOST_BYTES = 8;

/** A serving whose computations are let go one by one. */
function shared(running: number = 1): {
  ask: (id: string, signal?: AbortSignal) => Promise<HttpReply['body']>;
  /** Lets all that compute now go on. */
  goOn: () => Promise<void>;
  counts: { made: number; ended: number; stopped: number };
  of: (parts: readonly string[]) => void;
} {
  const turns = createAdmission({ lane: 'questions', running, waiting: 4, waitMs: 10_000 });
  const serving = inTurnShared<null>(turns, MOST_BYTES);
  const counts = { made: 0, ended: 0, stopped: 0 };
  const waiting: (() => void)[] = [];
  let parts: readonly string[] = ['abc'];
  const make = async (
    signal: AbortSignal,
  ): Promise<{ chunks: AsyncIterable<Uint8Array>; found: () => null }> => {
    const own = parts;
    counts.made++;
    await new Promise<void>((resolve, reject) => {
      waiting.push(resolve);
      signal.addEventListener('abort', () => {
        counts.stopped++;
        reject(signal.reason as Error);
      });
    });
    async function* chunks(): AsyncGenerator<Uint8Array> {
      try {
        for (const part of own) yield Buffer.from(part);
      } finally {
        counts.ended++;
      }
    }
    return { chunks: chunks(), found: () => null };
  };
  return {
    async ask(id, signal = new AbortController().signal) {
      const { body } = await serving.begin(make, { id, signal, isCheap: false });
      return body;
    },
    async goOn() {
      for (let i = 0; i < 5; i++) await soon();
      for (const go of waiting.splice(0)) go();
      for (let i = 0; i < 5; i++) await soon();
    },
    counts,
    of: (these) => {
      parts = these;
    },
  };
}

async function textOf(body: HttpReply['body']): Promise<string> {
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body).toString();
  let text = '';
  for await (const part of body) text += Buffer.from(part).toString();
  return text;
}

describe('identical questions at the same time', () => {
  test('P-O5: forty of them are one computation, though few may run and wait', async (t) => {
    const { ask, goOn, counts } = shared();
    const all = Array.from({ length: 40 }, () => ask('same'));
    await goOn();
    const texts = await Promise.all((await Promise.all(all)).map(textOf));
    assert.deepEqual(new Set(texts), new Set(['abc']));
    assert.deepEqual(counts, { made: 1, ended: 1, stopped: 0 });
    measured(t, 'P-O5', `${all.length} identical questions, ${counts.made} computation`);
    // Who asks afterwards gets a new one.
    const later = ask('same');
    await goOn();
    await later;
    assert.equal(counts.made, 2);
  });

  test('others are computed by themselves', async () => {
    const { ask, goOn, counts } = shared(2);
    const all = [ask('a'), ask('b')];
    await goOn();
    await Promise.all(all);
    assert.equal(counts.made, 2);
  });

  test('who asked first may leave: the others have the answer', async () => {
    const { ask, goOn, counts } = shared();
    const first = new AbortController();
    const left = ask('same', first.signal);
    const others = [ask('same'), ask('same')];
    await soon();
    first.abort(new Error('gone'));
    await assert.rejects(left, /gone/);
    await goOn();
    assert.deepEqual(await Promise.all((await Promise.all(others)).map(textOf)), ['abc', 'abc']);
    assert.deepEqual(counts, { made: 1, ended: 1, stopped: 0 });
  });

  test('the computation stops with the last who leaves', async () => {
    const { ask, goOn, counts } = shared();
    const readers = [new AbortController(), new AbortController()];
    const all = readers.map(({ signal }) => ask('same', signal));
    await soon();
    for (const reader of readers) reader.abort(new Error('gone'));
    for (const each of all) await assert.rejects(each, /gone/);
    await soon();
    assert.equal(counts.stopped, 1);
    const next = ask('same');
    await goOn();
    assert.equal(await textOf(await next), 'abc');
  });

  test('an error is that of all who wait', async () => {
    const { ask, counts } = shared();
    const turns = [ask('same'), ask('same')];
    await soon();
    assert.equal(counts.made, 1);
    const full = Array.from({ length: 5 }, (_, i) => ask(`other ${i}`));
    const refused = await Promise.allSettled(full.slice(4));
    assert.equal(refused[0]?.status, 'rejected');
    for (const each of [...turns, ...full]) each.catch(() => undefined);
  });

  test('a long answer is streamed to each in its own turn', async () => {
    const { ask, goOn, counts, of } = shared();
    of(['long ', 'answer ', 'of many']);
    const all = Array.from({ length: 3 }, async () => await textOf(await ask('same')));
    for (let i = 0; i < 6; i++) await goOn();
    assert.deepEqual(await Promise.all(all), Array(3).fill('long answer of many'));
    assert.deepEqual(counts, { made: 3, ended: 3, stopped: 0 });
  });

  test('at random: every turn is given back, every chunk ended, every reader answered or gone', async () => {
    const step = fc.record({
      kind: fc.constantFrom('ask', 'ask', 'leave', 'go', 'tick'),
      id: fc.constantFrom('a', 'b'),
      isLong: fc.boolean(),
      reader: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { ask, goOn, counts, of } = shared(2);
        const readers: AbortController[] = [];
        let settled = 0;
        for (const { kind, id, isLong, reader } of steps) {
          of(isLong ? ['long ', 'answer'] : ['short']);
          if (kind === 'ask') {
            const controller = new AbortController();
            readers.push(controller);
            void ask(id, controller.signal)
              .then(textOf)
              .then((text) => assert.ok(['long answer', 'short'].includes(text)))
              .catch(() => undefined)
              .finally(() => settled++);
          } else if (kind === 'leave') readers[reader]?.abort(new Error('gone'));
          else if (kind === 'go') await goOn();
          else await soon();
        }
        for (let i = 0; i < 60 && settled < readers.length; i++) await goOn();
        assert.equal(settled, readers.length);
        assert.equal(counts.made, counts.ended + counts.stopped);
        // Both turns are free: two computations run at once.
        const before = counts.made;
        const last = [ask('c'), ask('d')];
        for (let i = 0; i < 3; i++) await soon();
        assert.equal(counts.made, before + 2);
        await goOn();
        await Promise.all(last);
      }),
      { numRuns: 200 },
    );
  });
});

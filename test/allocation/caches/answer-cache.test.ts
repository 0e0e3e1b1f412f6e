import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { AnswerCache } from '../../../src/allocation/caches/answer-cache.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MAX_BYTES = 64;

function cache(): AnswerCache {
  return new AnswerCache({ budgetBytes: 1024, answerMaxBytes: MAX_BYTES });
}

function chunk(length: number, fill: number): Uint8Array {
  return new Uint8Array(length).fill(fill);
}

/** Each chunk is overwritten when the next is asked for, as slots of the arena are. */
async function* passing(lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const [i, length] of lengths.entries()) {
    const bytes = chunk(length, i + 1);
    yield bytes;
    bytes.fill(0xff);
  }
}

async function collected(answer: Buffer | AsyncIterable<Uint8Array>): Promise<Buffer> {
  if (Buffer.isBuffer(answer)) return answer;
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

const always = (): boolean => true;

describe('answers that are kept as bytes', () => {
  test('an answer is the same bytes in whatever chunks it comes, kept or streamed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 48 }), { maxLength: 6 }), async (of) => {
        const expected = Buffer.concat(of.map((length, i) => chunk(length, i + 1)));
        const answer = await cache().answer('a', () => passing(of), always);
        assert.equal(Buffer.isBuffer(answer), expected.length <= MAX_BYTES);
        assert.deepEqual(await collected(answer), expected);
      }),
    );
  });

  test('a short answer is computed once', async () => {
    const answers = cache();
    await answers.answer('a', () => passing([10]), always);
    const again = await answers.answer('a', () => passing([20]), always);
    assert.equal((await collected(again)).length, 10);
  });
});

test('a short answer is computed once for all who ask within one tick', async () => {
  const answers = cache();
  let made = 0;
  const ask = (): Promise<unknown> => answers.answer('a', () => passing([++made]), always);
  const [first, second] = await Promise.all([ask(), ask()]);
  assert.equal(first, second);
  assert.equal(made, 1);
});

test('an answer that is too long is computed by each who asks, and so is one that fails', async () => {
  const answers = cache();
  const long = await Promise.all(
    [1, 2].map((fill) => answers.answer('a', () => filled(fill), always)),
  );
  const fills = await Promise.all(long.map(async (each) => (await collected(each))[0]));
  assert.deepEqual(fills, [1, 2]);
  const failing = await Promise.allSettled([
    answers.answer('b', () => failed('no'), always),
    answers.answer('b', () => passing([3]), always),
  ]);
  assert.deepEqual(
    failing.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
  assert.equal(answers.get('b')?.length, 3);
});

async function* filled(fill: number): AsyncGenerator<Uint8Array> {
  yield chunk(MAX_BYTES + 1, fill);
}

async function* failed(message: string): AsyncGenerator<Uint8Array> {
  yield chunk(1, 1);
  throw new Error(message);
}

test('an answer that lacks something is not given to concurrent requests', async () => {
  const answers = cache();
  let made = 0;
  const ask = async (): Promise<number> => {
    const answer = await answers.answer(
      'a',
      () => passing([10 * ++made]),
      () => made > 1,
    );
    return (await collected(answer)).length;
  };
  const first = ask();
  while (made === 0) await Promise.resolve();
  assert.deepEqual(await Promise.all([first, ask()]), [10, 20]);
  assert.equal(answers.get('a')?.length, 20);
});

describe('an answer that is too long to be kept', () => {
  test('hands on the chunk that shows it, and copies only those before', async () => {
    const [head, large] = [chunk(10, 1), chunk(MAX_BYTES, 2)];
    const given: Uint8Array[] = [];
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield* [head, large];
    }
    const answer = await cache().answer('a', chunks, always);
    for await (const part of answer as AsyncIterable<Uint8Array>) given.push(part);
    assert.deepEqual(
      given.map((part) => [...part]),
      [[...head], [...large]],
    );
    assert.ok(given[0] !== head, 'a chunk is valid only until the next is asked for');
    assert.ok(given[1] === large, 'the last chunk was copied');
  });

  test('holds none of what was collected once that is given', async () => {
    const answer = await cache().answer('a', () => passing([30, 20, 40]), always);
    const chunks = (answer as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const [first, second] = [await given(chunks), await given(chunks)];
    await given(chunks);
    // A reference is held until the turn it was made in ends.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    assert.deepEqual([first.deref(), second.deref()], [undefined, undefined]);
    await chunks.return?.();
  });
});

async function given(chunks: AsyncIterator<Uint8Array>): Promise<WeakRef<Uint8Array>> {
  return new WeakRef((await chunks.next()).value as Uint8Array);
}

describe('a long answer', () => {
  const BUDGET = 32 * 1024;
  const MOST = BUDGET / 16;
  const large = (): AnswerCache =>
    new AnswerCache({ budgetBytes: BUDGET, answerMaxBytes: MAX_BYTES });
  const lengths = fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 6 });

  test('stays once it was read to its end, unless it is larger than its share or may change', async () => {
    await fc.assert(
      fc.asyncProperty(lengths, fc.boolean(), async (of, isCacheable) => {
        const answers = large();
        const expected = Buffer.concat(of.map((length, i) => chunk(length, i + 1)));
        const ask = async (): Promise<Buffer> =>
          await collected(
            await answers.answer(
              'a',
              () => passing(of),
              () => isCacheable,
            ),
          );
        assert.deepEqual(await ask(), expected);
        const isKept = isCacheable && expected.length <= MOST;
        assert.deepEqual(answers.get('a'), isKept ? expected : undefined);
        assert.deepEqual(await ask(), expected);
      }),
    );
  });

  test('readers at once, some of which leave or fail, take no room for good', async () => {
    const reader = fc.record({
      of: fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 3, maxLength: 12 }),
      end: fc.constantFrom('read', 'left', 'failed'),
      after: fc.nat(12),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(reader, { minLength: 1, maxLength: 24 }), async (readers) => {
        const answers = large();
        await Promise.all(
          readers.map(async ({ of, end, after }, i) => {
            async function* chunks(): AsyncGenerator<Uint8Array> {
              let made = 0;
              for await (const part of passing(of)) {
                if (end === 'failed' && made++ === after) throw new Error('no');
                yield part;
              }
            }
            try {
              const answer = await answers.answer(`${i}`, chunks, always);
              if (Buffer.isBuffer(answer)) return;
              let read = 0;
              for await (const part of answer) {
                assert.ok(part.length > 0);
                if (end === 'left' && read++ === after) break;
              }
            } catch (error) {
              assert.equal((error as Error).message, 'no');
            }
          }),
        );
        // All room is there again: an answer of its whole share stays.
        const whole = await answers.answer('whole', () => passing([MOST - 1, 1]), always);
        assert.equal((await collected(whole)).length, MOST);
        assert.equal(answers.get('whole')?.length, MOST);
      }),
      { numRuns: 60 },
    );
  });

  test('copies of answers that nobody reads on are bound together', async () => {
    const answers = large();
    const readers = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const answer = await answers.answer(`${i}`, () => passing([MOST - 8, 8, 1]), always);
        const chunks = (answer as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
        await chunks.next();
        return chunks;
      }),
    );
    // A quarter of the budget is for answers on their way: four of sixteen shares.
    const late = await answers.answer('late', () => passing([MAX_BYTES + 1, 9]), always);
    assert.equal((await collected(late)).length, MAX_BYTES + 10);
    assert.equal(answers.get('late')?.length, undefined);
    for (const chunks of readers) await chunks.return?.();
    const again = await answers.answer('late', () => passing([MAX_BYTES + 1, 9]), always);
    assert.equal((await collected(again)).length, MAX_BYTES + 10);
    assert.equal(answers.get('late')?.length, MAX_BYTES + 10);
  });
});

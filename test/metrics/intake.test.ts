/** A body that comes faster than it is read: the store waits, and nothing is lost or doubled. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AnswerBody } from '../../src/metrics/client/answer-body.ts';
import { Intake } from '../../src/metrics/client/intake.ts';

const IDLE = { restart: () => undefined, stop: () => undefined };

/** Sends `chunks` while the flow allows it, some in each turn, then the end. */
class Sender {
  readonly body: AnswerBody;
  readonly #left: number[];
  #isPaused = false;
  sent = 0;
  aborted: Error | undefined;

  constructor(count: number) {
    this.#left = Array.from({ length: count }, (_, i) => i % 256);
    this.body = new AnswerBody({
      pause: () => (this.#isPaused = true),
      resume: () => (this.#isPaused = false),
      abort: (reason) => (this.aborted = reason),
    });
  }

  send(most: number): void {
    for (let i = 0; i < most && !this.#isPaused && this.aborted === undefined; i++) {
      const chunk = this.#left.shift();
      if (chunk === undefined) return this.body.end(null);
      this.sent++;
      this.body.chunk(Uint8Array.of(chunk));
    }
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('items are complete and in order, at any speed of the store and the reader', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(40),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      fc.array(fc.nat(2), { minLength: 1 }),
      async (count, bursts, pauses) => {
        const sender = new Sender(count);
        // Each second chunk completes an item.
        const intake = new Intake(sender.body, IDLE, ([byte = 0]) =>
          byte % 2 === 0 ? [] : [byte],
        );
        const reading = (async () => {
          const items: number[] = [];
          for await (const item of intake.items()) {
            items.push(item);
            for (let i = pauses[items.length % pauses.length] ?? 0; i > 0; i--) await turn();
            assert.ok(sender.sent <= 2 * (items.length + 2) + 1, `${sender.sent} sent ahead`);
          }
          return items;
        })();
        let isRead = false;
        void reading.then(() => (isRead = true));
        for (let i = 0; !isRead && i < 1000; i++) {
          sender.send(bursts[i % bursts.length] ?? 1);
          await turn();
        }
        const whole = Array.from({ length: count }, (_, i) => i).filter((i) => i % 2 === 1);
        assert.deepEqual(await reading, whole);
      },
    ),
    { numRuns: 100 },
  );
});

test('an error while taking chunks ends the read and closes the connection', async () => {
  const sender = new Sender(9);
  const mistake = new Error('a broken frame');
  const intake = new Intake(sender.body, IDLE, ([byte = 0]): number[] => {
    if (byte === 3) throw mistake;
    return [byte];
  });
  const reading = (async () => {
    for await (const item of intake.items()) assert.ok(item < 3, `${item} came`);
  })();
  const failed = assert.rejects(reading, mistake);
  for (let i = 0; i < 20; i++) {
    sender.send(1);
    await turn();
  }
  await failed;
  assert.equal(intake.refusal, mistake);
  assert.equal(sender.aborted, mistake);
});

test('a reader that leaves closes the connection', async () => {
  const sender = new Sender(9);
  const intake = new Intake(sender.body, IDLE, ([byte = 0]) => [byte]);
  const reading = (async () => {
    try {
      for await (const item of intake.items()) if (item === 0) return item;
      return undefined;
    } finally {
      intake.close();
    }
  })();
  await turn();
  sender.send(1);
  assert.equal(await reading, 0);
  assert.match(String(sender.aborted), /nobody reads the rest/);
});

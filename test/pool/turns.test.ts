/** Turns of tasks: short requests pass between the tasks of long ones, and long ones come to an end. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import fc from 'fast-check';
import { lasting, NEVER } from '../../src/pool/never.ts';
import { Unavailable } from '../../src/query/index.ts';
import { Turns } from '../../src/pool/turns.ts';

/** One turn at a time over a clock that only tasks move. */
function oneByOne(): {
  /** A request of so many tasks that take so long each. */
  ask: (name: string, tasks: number, eachMs: number, signal?: AbortSignal) => void;
  /** Runs all, and what is asked between them. @returns names in the order of their tasks */
  run: (between?: (done: number) => void) => Promise<string[]>;
} {
  let nowMs = 0;
  const turns = new Turns({ most: 1, nowMs: () => nowMs });
  const ready: { name: string; eachMs: number; end: () => void }[] = [];
  const ask = (name: string, tasks: number, eachMs: number, signal?: AbortSignal): void => {
    const own = signal ?? new AbortController().signal;
    for (let i = 0; i < tasks; i++) {
      void turns.take(own).then((end) => ready.push({ name, eachMs, end }));
    }
  };
  const run = async (between?: (done: number) => void): Promise<string[]> => {
    const order: string[] = [];
    for (;;) {
      await soon();
      const task = ready.shift();
      if (task === undefined) return order;
      assert.equal(ready.length, 0, 'two had a turn');
      order.push(task.name);
      nowMs += task.eachMs;
      between?.(order.length);
      task.end();
    }
  };
  return { ask, run };
}

describe('turns', () => {
  test('a short request passes between the tasks of a long one that came before', async () => {
    const { ask, run } = oneByOne();
    ask('long', 40, 20);
    const order = await run((done) => {
      if (done === 10) ask('short', 2, 2);
    });
    const [first, last] = [order.indexOf('short'), order.lastIndexOf('short')];
    assert.ok(first >= 10 && last <= 14, order.join(' '));
    assert.equal(order.length, 42);
  });

  test('requests that take the same are served in the order in which they came', async () => {
    const { ask, run } = oneByOne();
    for (const name of ['a', 'b', 'c', 'd']) ask(name, 30, 10);
    const order = await run();
    const ends = ['a', 'b', 'c', 'd'].map((name) => order.lastIndexOf(name));
    assert.deepEqual(
      ends,
      ends.toSorted((x, y) => x - y),
    );
    // Not in turns, which would let all of them end at the end.
    assert.ok((ends[0] ?? NaN) < 60 && (ends[1] ?? NaN) < 90, ends.join());
  });

  test('a long request gets a third of the time, however many short ones come', async () => {
    const { ask, run } = oneByOne();
    ask('long', 30, 50);
    let asked = 0;
    const order = await run((done) => {
      if (done > 3 && asked < 4000) for (let i = 0; i < 2; i++) ask(`short ${asked++}`, 1, 5);
    });
    const shortMs = 5 * (order.lastIndexOf('long') - 29);
    assert.ok(shortMs > 1500 && shortMs < 3300, `${shortMs} ms of short ones beside 1500`);
  });

  test('work that goes on without its request counts as the work of it', async () => {
    const { ask, run } = oneByOne();
    const long = new AbortController().signal;
    ask('long', 10, 100, lasting(long));
    const order = await run((done) => {
      if (done !== 5) return;
      ask('long', 10, 100, long);
      ask('short', 1, 1);
    });
    assert.ok(order.indexOf('short') <= 7, order.join(' '));
    assert.equal(lasting(long), lasting(long));
  });

  test('work for nobody in particular is never behind requests that have taken much', async () => {
    const { ask, run } = oneByOne();
    ask('shared', 20, 100, NEVER);
    ask('long', 20, 100);
    const order = await run((done) => {
      if (done === 20) ask('shared', 3, 100, NEVER);
    });
    assert.ok(order.lastIndexOf('shared') < 32, order.join(' '));
  });

  test('in any order of arrivals, aborts and ends no turn is lost and none is given twice', async () => {
    const step = fc.record({
      request: fc.nat(5),
      kind: fc.constantFrom('take', 'take', 'take', 'end', 'end', 'abort', 'wait'),
      ms: fc.nat(300),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 80 }),
        async (most, steps) => {
          let nowMs = 0;
          const turns = new Turns({ most, nowMs: () => nowMs });
          const requests = Array.from({ length: 6 }, () => new AbortController());
          const running: (() => void)[] = [];
          let settled = 0;
          let taken = 0;
          for (const { request, kind, ms } of steps) {
            nowMs += ms;
            const controller = requests[request] ?? new AbortController();
            if (kind === 'take') {
              taken++;
              void turns.take(controller.signal).then(
                (end) => {
                  settled++;
                  running.push(end);
                },
                () => settled++,
              );
            } else if (kind === 'end') running.shift()?.();
            else if (kind === 'abort') {
              controller.abort(new Error('left'));
              requests[request] = new AbortController();
            } else await soon();
            assert.ok(running.length <= most, `${running.length} run, ${most} may`);
          }
          for (let i = 0; i <= taken; i++) {
            await soon();
            running.shift()?.();
          }
          assert.equal(settled, taken);
          assert.equal(running.length, 0);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('P-O2: where too many tasks wait, a request begins none; one that has begun goes on', async () => {
    const turns = new Turns({ most: 1, waitingMax: 3 });
    const [begun, other] = [new AbortController(), new AbortController()];
    const end = await turns.take(begun.signal);
    const waiting = [begun, begun, begun].map(({ signal }) => turns.take(signal));
    assert.deepEqual(turns.state, { running: 1, waiting: 3 });
    await assert.rejects(turns.take(other.signal), (error: unknown) => {
      assert.ok(error instanceof Unavailable, String(error));
      assert.match(error.message, /^3 tasks wait for 1 turns/);
      assert.ok((error.retryAfterSeconds ?? 0) >= 1);
      return true;
    });
    waiting.push(turns.take(begun.signal));
    end();
    for (const one of waiting) (await one)();
    assert.deepEqual(turns.state, { running: 0, waiting: 0 });
    (await turns.take(other.signal))();
  });

  test('only a task that is expected to be short begins ahead of the end of others', async () => {
    let nowMs = 0;
    const turns = new Turns({ most: 1, ahead: 1, nowMs: () => nowMs });
    const ask = (): AbortSignal => new AbortController().signal;
    const [long, short] = [ask(), ask()];
    const end = await turns.take(long);
    nowMs += 100;
    end(100);
    for (let i = 0; i < 200; i++) (await turns.take(short))(0.1);
    const running = await turns.take(long);
    const ahead = await turns.take(short);
    assert.deepEqual(turns.state, { running: 2, waiting: 0 });
    ahead(0.1);
    const late = turns.take(long);
    await soon();
    assert.deepEqual(turns.state, { running: 1, waiting: 1 });
    running(100);
    (await late)(100);
    assert.deepEqual(turns.state, { running: 0, waiting: 0 });
  });

  test('closed, it refuses who waits and waits for who runs', async () => {
    const turns = new Turns({ most: 1 });
    const end = await turns.take(NEVER);
    const waiting = turns.take(new AbortController().signal);
    const closing = turns.close(10_000);
    await assert.rejects(waiting, /stopping/);
    await assert.rejects(turns.take(NEVER), /stopping/);
    end();
    await closing;
  });
});

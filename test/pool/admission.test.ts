import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createAdmission, type Admission } from '../../src/pool/index.ts';
import { Unavailable } from '../../src/query/index.ts';

const GOES_ON = new AbortController().signal;
const OPTIONS = { running: 2, waiting: 3, waitMs: 10_000 };

/** Lets the handlers of settled promises run. */
async function promisesRun(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** Enters, and notes the name of whoever is inside. */
function enter(admission: Admission, inside: string[], name: string, signal = GOES_ON) {
  return admission.enter(signal).then((leave) => {
    inside.push(name);
    return leave;
  });
}

test('only so many are admitted at once; the others wait and are admitted in the order they came', async () => {
  const admission = createAdmission(OPTIONS);
  const inside: string[] = [];
  const [a, b, ...waiting] = ['a', 'b', 'c', 'd', 'e'].map((n) => enter(admission, inside, n));
  await promisesRun();
  assert.deepEqual(inside, ['a', 'b']);
  (await b)?.();
  await promisesRun();
  assert.deepEqual(inside, ['a', 'b', 'c']);
  (await a)?.();
  for (const next of waiting) (await next)();
  assert.deepEqual(inside, ['a', 'b', 'c', 'd', 'e']);
});

test('leaving twice admits one, not two', async () => {
  const admission = createAdmission({ ...OPTIONS, running: 1 });
  const inside: string[] = [];
  const leave = await enter(admission, inside, 'a');
  const others = ['b', 'c'].map((name) => enter(admission, inside, name));
  leave();
  leave();
  await promisesRun();
  assert.deepEqual(inside, ['a', 'b']);
  for (const other of others) (await other)();
});

test('P-O2: beyond the queue a request is refused at once with 503, how many run and when to retry', async () => {
  const admission = createAdmission(OPTIONS);
  const held = Array.from({ length: 5 }, () => admission.enter(GOES_ON));
  await assert.rejects(admission.enter(GOES_ON), (error: unknown) => {
    assert.ok(error instanceof Unavailable, String(error));
    assert.deepEqual([error.status, error.retryAfterSeconds], [503, 10]);
    assert.equal(error.message, '2 queries are running and 3 wait for their turn');
    return true;
  });
  for (const one of held) (await one)();
});

test('P-O2: a request that waits too long is refused, and its place in the queue is free again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const admission = createAdmission({ ...OPTIONS, running: 1, waiting: 1 });
  const leave = await admission.enter(GOES_ON);
  const late = assert.rejects(admission.enter(GOES_ON), { name: 'Unavailable', status: 503 });
  t.mock.timers.tick(OPTIONS.waitMs);
  await late;
  const next = admission.enter(GOES_ON);
  leave();
  (await next)();
});

test('a request aborted while it waits leaves the queue and is never admitted', async () => {
  const admission = createAdmission({ ...OPTIONS, running: 1, waiting: 1 });
  const inside: string[] = [];
  const leave = await enter(admission, inside, 'a');
  const client = new AbortController();
  const waiting = enter(admission, inside, 'b', client.signal);
  const reason = new Error('the client went away');
  client.abort(reason);
  await assert.rejects(waiting, (error) => error === reason);
  await assert.rejects(admission.enter(client.signal), (error) => error === reason);
  const next = enter(admission, inside, 'c');
  leave();
  (await next)();
  assert.deepEqual(inside, ['a', 'c']);
});

test('in any order of arrivals, aborts and ends never too many are inside, and none is forgotten', async () => {
  const event = fc.oneof(
    fc.constant('come' as const),
    fc.record({ leave: fc.nat(9) }),
    fc.record({ goAway: fc.nat(9) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (events) => {
      const admission = createAdmission(OPTIONS);
      const inside: (() => void)[] = [];
      const clients: AbortController[] = [];
      let refused = 0;
      let came = 0;
      let left = 0;
      for (const one of events) {
        if (one === 'come') {
          const client = new AbortController();
          clients.push(client);
          came++;
          admission.enter(client.signal).then(
            (leave) => inside.push(leave),
            () => refused++,
          );
        } else if ('leave' in one) {
          const [leave] = inside.splice(one.leave, 1);
          leave?.();
          if (leave) left++;
        } else clients[one.goAway]?.abort();
        await promisesRun();
        assert.ok(inside.length <= OPTIONS.running, `${inside.length} run`);
        const waiting = came - refused - left - inside.length;
        assert.ok(waiting === 0 || inside.length === OPTIONS.running, 'idle while some wait');
        assert.ok(waiting <= OPTIONS.waiting, `${waiting} wait`);
      }
      for (; inside.length > 0; await promisesRun()) {
        inside.shift()?.();
        left++;
      }
      assert.equal(left + refused, came);
    }),
  );
});

test('enterLast waits behind all others, without a limit of time', async () => {
  const admission = createAdmission({ ...OPTIONS, running: 1, waitMs: 1 });
  const inside: string[] = [];
  const leave = await enter(admission, inside, 'a');
  const last = admission.enterLast(GOES_ON).then((leaveLast) => {
    inside.push('last');
    return leaveLast;
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const query = enter(admission, inside, 'b');
  leave();
  const leaveQuery = await query;
  assert.deepEqual(inside, ['a', 'b']);
  leaveQuery();
  (await last)();
  assert.deepEqual(inside, ['a', 'b', 'last']);
});

test('enterLast is admitted at once where there is room, and stops waiting when aborted', async () => {
  const admission = createAdmission({ ...OPTIONS, running: 1 });
  const leave = await admission.enterLast(GOES_ON);
  const controller = new AbortController();
  const waiting = admission.enterLast(controller.signal);
  controller.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  await assert.rejects(admission.enterLast(controller.signal), /gone/);
  leave();
  (await admission.enter(GOES_ON))();
});

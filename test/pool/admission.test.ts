import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { measured } from '../support/measured.ts';
import { createAdmission, type Admission } from '../../src/pool/index.ts';
import { askedOn, childOf, Unavailable } from '../../src/query/index.ts';

const GOES_ON = new AbortController().signal;
const OPTIONS = { lane: 'questions', running: 2, waiting: 3, waitMs: 10_000 };

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
    assert.equal(
      error.message,
      'too many questions: 2 are being answered and 3 wait for their turn',
    );
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

test('enterLast waits behind all others, and is not refused however long that takes', async () => {
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

test('P-O2: who waits behind all others for a minute has the next turn, and then others again', async () => {
  let nowMs = 0;
  const admission = createAdmission({ ...OPTIONS, running: 1, waiting: 6, nowMs: () => nowMs });
  const inside: string[] = [];
  let leave = await enter(admission, inside, 'first');
  const lasts = ['last', 'later'].map(async (name) => {
    const leaveLast = await admission.enterLast(GOES_ON);
    inside.push(name);
    leave = leaveLast;
  });
  for (const name of ['a', 'b', 'c']) {
    void enter(admission, inside, name).then((leaveIt) => (leave = leaveIt));
    // Another question comes before the one that goes on has ended.
    nowMs += 25_000;
    leave();
    await new Promise((resolve) => setImmediate(resolve));
  }
  // At 25 and 50 s others had their turns, at 75 s it is overdue, and so is the one behind it.
  assert.deepEqual(inside, ['first', 'a', 'b', 'last']);
  nowMs = 0;
  leave();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(inside, ['first', 'a', 'b', 'last', 'c']);
  leave();
  await Promise.all(lasts);
  assert.deepEqual(inside, ['first', 'a', 'b', 'last', 'c', 'later']);
  leave();
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

/** A request of a client. */
function ofClient(client: string): AbortSignal {
  const { signal } = new AbortController();
  askedOn(signal, { trace: childOf(undefined), client });
  return signal;
}

test('P-O2: Retry-After tells when the queue will be empty, by how long the latest turns took', async () => {
  let nowMs = 0;
  const admission = createAdmission({ ...OPTIONS, running: 2, waiting: 6, nowMs: () => nowMs });
  const retryAfter = async (): Promise<number | undefined> => {
    const error: unknown = await admission.enter(GOES_ON).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof Unavailable, String(error));
    return error.retryAfterSeconds;
  };
  const entered = Array.from({ length: 8 }, () => admission.enter(GOES_ON));
  assert.equal(await retryAfter(), 10, 'nobody knows yet: as long as one may wait');
  nowMs = 4000;
  (await entered[0])?.();
  entered.push(admission.enter(GOES_ON));
  assert.equal(await retryAfter(), 14, 'seven turns of 4 s by two at once');
  nowMs = 24_000;
  assert.equal(await retryAfter(), 84, 'one has run for 24 s already');
  nowMs = 1e9;
  assert.equal(await retryAfter(), 120, 'never longer than two minutes');
  for (const one of entered) (await one)();
});

test('P-O3: one client with twenty times the requests takes no turns of others', async (t) => {
  const admission = createAdmission({ ...OPTIONS, running: 4, waiting: 40 });
  const order: string[] = [];
  const inside: (() => void)[] = [];
  let refusedOfOthers = 0;
  const ask = (client: string): void => {
    admission.enter(ofClient(client)).then(
      (leave) => {
        order.push(client);
        inside.push(leave);
      },
      () => client === 'noisy' || refusedOfOthers++,
    );
  };
  const others = ['a', 'b', 'c'];
  for (let round = 0; round < 100; round++) {
    for (let i = 0; i < 60; i++) ask('noisy');
    others.forEach(ask);
    await promisesRun();
    for (let turn = 0; turn < 4; turn++) {
      inside.shift()?.();
      await promisesRun();
    }
  }
  const had = others.map((name) => order.filter((client) => client === name).length);
  assert.equal(refusedOfOthers, 0, 'refused');
  assert.ok(Math.min(...had) >= 98, `${had.join()} of 100 turns`);
  measured(
    t,
    'P-O3',
    `others at 1/20 of its rate had ${had.join(', ')} of 100 turns, none was refused`,
  );
});

test('the requests of one client have their turns in the order in which they came', async () => {
  const admission = createAdmission({ ...OPTIONS, running: 1, waiting: 9 });
  const inside: string[] = [];
  const asked = ['a1', 'a2', 'b1', 'a3', 'b2'].map((name) =>
    enter(admission, inside, name, ofClient(name.slice(0, 1))),
  );
  for (const one of asked) (await Promise.race([one, promisesRun().then(() => one)]))();
  assert.deepEqual(
    ['a', 'b'].map((client) => inside.filter((name) => name.startsWith(client)).join()),
    ['a1,a2,a3', 'b1,b2'],
  );
});

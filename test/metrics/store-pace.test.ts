/** How many reads a store gets at once, against simulated stores of a hidden limit, and a real server that has one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { createRemoteRead, StorePace } from '../../src/metrics/index.ts';
import { frame, LIMITS, RANGE, SELECTION } from '../support/stores/remote-reading.ts';
import { answering, startScriptedStore, streaming } from '../support/stores/scripted-store.ts';

const { signal } = new AbortController();

interface Outcome {
  readonly answered: number;
  readonly refused: number;
  /** Reads at once, on average over the second half. */
  readonly usual: number;
  readonly most: number;
}

/** Everybody wants to read all the time; the store refuses what is beyond its limit. */
async function simulate(
  limit: number,
  latencies: readonly number[],
  { most = 64, calls = 2500 } = {},
): Promise<Outcome> {
  let nowMs = 0;
  let [answered, refused, active, peak] = [0, 0, 0, 0];
  let [area, areaMs] = [0, 0];
  const events: { readonly atMs: number; readonly run: () => void }[] = [];
  const pace = new StorePace({ most, elapsedMs: () => nowMs });
  const read = async (own: AbortSignal): Promise<void> => {
    const giveBack = await pace.take(own);
    peak = Math.max(peak, pace.taken);
    const beganMs = pace.begin();
    const isRefused = active >= limit;
    const tookMs = isRefused ? 1 : (latencies[(answered + refused) % latencies.length] ?? 1);
    if (!isRefused) active++;
    await new Promise<void>((resolve) => events.push({ atMs: nowMs + tookMs, run: resolve }));
    if (isRefused) {
      refused++;
      pace.overloaded(beganMs);
    } else {
      active--;
      answered++;
      pace.answered(beganMs);
    }
    giveBack();
  };
  const readers = Array.from({ length: most + 8 }, async () => {
    const own = new AbortController();
    while (answered + refused < calls) await read(own.signal);
  });
  const all = Promise.all(readers);
  for (let isOver = false; !isOver;) {
    // As many steps as a reader takes from one event to the next.
    for (let step = 0; step < 16; step++) await Promise.resolve();
    const next = events.reduce(
      (a, b) => (b.atMs < a.atMs ? b : a),
      events[0] ?? { atMs: nowMs, run: () => (isOver = true) },
    );
    events.splice(events.indexOf(next), events.includes(next) ? 1 : 0);
    if (answered + refused > calls / 2) {
      area += active * (next.atMs - nowMs);
      areaMs += next.atMs - nowMs;
    }
    nowMs = next.atMs;
    next.run();
  }
  await all;
  pace.close();
  return { answered, refused, usual: area / areaMs, most: peak };
}

describe('the pace of a store', () => {
  test('comes to at least 80 % of any hidden limit, with few refusals, and never beyond its own bound', async () => {
    const latency = fc.integer({ min: 20, max: 60 });
    const limits = fc.integer({ min: 2, max: 40 });
    await fc.assert(
      fc.asyncProperty(
        limits,
        fc.array(latency, { minLength: 3, maxLength: 9 }),
        async (limit, latencies) => {
          const { answered, refused, usual, most } = await simulate(limit, latencies, {});
          assert.ok(usual >= 0.8 * limit, `${usual} of ${limit}`);
          assert.ok(refused <= 0.05 * (answered + refused), `${refused} of ${answered + refused}`);
          assert.ok(most <= 64);
        },
      ),
      { numRuns: 10 },
    );
  });

  test('never exceeds the most that was set', async () => {
    const { most, refused, usual } = await simulate(1000, [30], { most: 6, calls: 500 });
    assert.deepEqual([most, refused], [6, 0]);
    assert.ok(usual > 5.5);
  });

  test('halves once for all calls of one overload, and leaves the store alone for as long as it wants', async () => {
    let nowMs = 0;
    const pace = new StorePace({ most: 32, elapsedMs: () => nowMs });
    const held: (() => void)[] = [];
    for (const limit of [3, 4, 5, 6, 7, 8]) {
      while (pace.taken < pace.limit) held.push(await pace.take(signal));
      pace.answered(pace.begin());
      assert.equal(pace.limit, limit);
    }
    const beganMs = pace.begin();
    nowMs = 10;
    for (let i = 0; i < 5; i++) pace.overloaded(beganMs, 50);
    assert.equal(pace.limit, 4);
    for (const giveBack of held) giveBack();
    const waiting = pace.take(signal);
    const first = await Promise.race([waiting.then(() => 'turn'), sleep(20).then(() => 'waits')]);
    assert.equal(first, 'waits');
    (await waiting)();
    nowMs = 20;
    pace.overloaded(pace.begin());
    assert.equal(pace.limit, 2);
    pace.close();
  });

  test('slow answers do not raise it', async () => {
    let nowMs = 0;
    const pace = new StorePace({ most: 8, elapsedMs: () => nowMs });
    await pace.take(signal);
    await pace.take(signal);
    pace.answered(nowMs);
    assert.equal(pace.limit, 3);
    await pace.take(signal);
    const beganMs = pace.begin();
    nowMs += 5000;
    pace.answered(beganMs);
    assert.equal(pace.limit, 3);
    pace.close();
  });
});

test('a real server with a hidden limit is read at 80 % of it and more, with few refusals', async () => {
  const limit = 10;
  const seen: number[] = [];
  const store = await startScriptedStore(async (response, request) => {
    seen.push(store.atOnce);
    if (store.atOnce > limit) return answering(429, 'busy')(response, request);
    await sleep(60);
    return streaming(frame('p'))(response, request);
  });
  const pace = new StorePace({ most: 40 });
  const source = createRemoteRead({
    url: store.url,
    ...LIMITS,
    idleTimeoutMs: 30_000,
    totalTimeoutMs: 60_000,
    pace,
  });
  let left = 900;
  const reader = async (): Promise<void> => {
    const own = new AbortController();
    while (left-- > 0)
      for await (const batch of source.read(SELECTION, RANGE, own.signal)) void batch;
  };
  await Promise.all(Array.from({ length: 40 }, reader));
  const reached = pace.limit;
  await source.close();
  pace.close();
  await store.stop();
  const refused = seen.filter((count) => count > limit).length;
  assert.ok(reached >= 0.8 * limit && reached <= limit, `${reached} of ${limit}`);
  assert.ok(refused <= 0.05 * seen.length, `${refused} of ${seen.length}`);
});

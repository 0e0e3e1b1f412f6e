/** The builder over a store in the process, whose pods, gaps and failures are in hand. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  createBuilder,
  type Backfill,
  type Builder,
  type BuilderOptions,
} from '../../../src/allocation/index.ts';
import { createKnownLives, type KnownPod, type MetricsSource } from '../../../src/metrics/index.ts';
import { createAdmission } from '../../../src/pool/index.ts';
import { createCalendar, Unavailable, type Window } from '../../../src/query/index.ts';
import { createMemorySets, type SetInfo } from '../../../src/storage/index.ts';
import { startBuilding, sumsBy, type Building } from '../../support/stores/builds.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TODAY = Date.UTC(2024, 4, 20);
const NEVER = new AbortController().signal;
const FAR = { startMs: TODAY - 100 * DAY, endMs: TODAY + 100 * DAY };

/** A core from then to then. */
function podOf(name: string, startMs: number, endMs: number): KnownPod {
  const minutes = Math.ceil((endMs - startMs) / 60_000) + 1;
  const cpuUsage = { fromMs: startMs, cores: new Float64Array(minutes).fill(0.5) };
  return { name, startMs, endMs, cpuCores: 1, cpuUsage, ramBytes: 2 ** 30 };
}

function storeOf(pods: readonly KnownPod[], changes: Partial<MetricsSource> = {}): MetricsSource {
  return { ...createKnownLives(pods, { scrapeMs: 60_000, hasTimes: true }), ...changes };
}

describe('a builder', () => {
  let building: Building;
  let sets: Building['sets'];
  let owner = 0;
  let nowMs = 0;
  let elapsedMs = 0;
  const said: string[] = [];

  before(async () => (building = await startBuilding([])));
  after(() => building.close());

  beforeEach(() => {
    const { arena, owners } = building.compute;
    if (owner > 0) arena.release(owner);
    owner = owners.take();
    sets = createMemorySets({ arena, owner, nowMs: () => nowMs });
    nowMs = TODAY + 10 * HOUR;
    said.length = 0;
  });

  const rules: BuilderOptions['rules'] = {
    calendar: createCalendar('UTC'),
    retentionMs: 400 * DAY,
    refreshMs: 300_000,
    sealAfterMs: HOUR,
  };

  const over = (source: MetricsSource, changes: Partial<BuilderOptions> = {}): Builder =>
    createBuilder({
      ...building,
      metrics: { ...building.metrics, source },
      sets,
      rules,
      bytesMax: Infinity,
      admission: createAdmission({ lane: 'questions', running: 1, waiting: 1, waitMs: 1000 }),
      nowMs: () => nowMs,
      elapsedMs: () => elapsedMs,
      onBuilt: (what) => void said.push(what),
      onFailed: (what, error) => void said.push(`${what} failed: ${String(error)}`),
      ...changes,
    });

  const fill = (builder: Builder, window?: Window, isAgain = false): Promise<Backfill> =>
    builder.fill({ window, isAgain, onProgress: () => undefined }, NEVER);

  const days = (): readonly SetInfo[] =>
    sets.list('allocations').filter(({ key }) => key.endMs - key.startMs === DAY);
  const dayAt = (startMs: number): SetInfo | undefined =>
    days().find(({ key }) => key.startMs === startMs);

  /** Core hours of a day's set. */
  const coreHours = async (startMs: number): Promise<number> => {
    const read = await sets.read({ kind: 'allocations', startMs, endMs: startMs + DAY }, owner);
    assert.ok(read, `there is no set of ${startMs}`);
    return sumsBy(read.table, ['cpuCoreHours'], () => '').get('')?.['cpuCoreHours'] ?? 0;
  };

  const THREE_DAYS = [podOf('app', TODAY - 2 * DAY, TODAY + 10 * DAY)];
  const told = { earliestSampleMs: () => Promise.resolve(TODAY - 2 * DAY) };

  test('builds today first, then back to the first sample, and hours of the last 49', async () => {
    const builder = over(storeOf(THREE_DAYS, told));
    assert.deepEqual(await fill(builder), { done: 3, total: 3, failing: [] });
    assert.deepEqual(said, [
      '2024-05-20',
      '2024-05-19',
      'hours of 2024-05-19',
      '2024-05-18',
      'hours of 2024-05-18',
    ]);
    assert.deepEqual(
      days().map(({ meta }) => meta.state),
      ['sealed', 'sealed', 'partial'],
    );
    assert.equal(sets.list('allocations').length, 3 + 49);
    assert.equal(await coreHours(TODAY), 10);
    assert.equal(await coreHours(TODAY - DAY), 24);
  });

  test('goes on where it was: what is there and final is not built again', async () => {
    const source = storeOf(THREE_DAYS, told);
    await fill(over(source), { startMs: TODAY - DAY, endMs: TODAY });
    assert.deepEqual(said.splice(0), ['2024-05-19', 'hours of 2024-05-19']);
    await fill(over(source));
    assert.deepEqual(said.splice(0), ['2024-05-20', '2024-05-18', 'hours of 2024-05-18']);
    assert.deepEqual(await fill(over(source)), { done: 3, total: 3, failing: [] });
    assert.deepEqual(said, []);
    await fill(over(source), { startMs: TODAY - DAY, endMs: TODAY }, true);
    assert.deepEqual(said, ['2024-05-19']);
  });

  test('extends today, and seals it once its late samples have come', async () => {
    const late = podOf('late', TODAY + 3 * HOUR, TODAY + 4 * HOUR);
    let pods: readonly KnownPod[] = THREE_DAYS;
    const builder = over(storeOf([], { read: (...question) => storeOf(pods).read(...question) }));
    const window = { startMs: TODAY, endMs: TODAY + DAY };
    const at: readonly (readonly [hours: number, core: number, state: string])[] = [
      [10, 10, 'partial'],
      [15, 15, 'partial'],
      [24.5, 24, 'partial'],
      [25, 25, 'sealed'],
    ];
    for (const [hours, cores, state] of at) {
      nowMs = TODAY + hours * HOUR;
      // They come after their hours are final.
      if (hours > 20) pods = [...THREE_DAYS, late];
      await fill(builder, window);
      assert.deepEqual([await coreHours(TODAY), dayAt(TODAY)?.meta.state], [cores, state]);
    }
  });

  test('P-F1: stores nothing while the store is down or breaks off, and all of it later', async () => {
    let isUp = false;
    const whole = storeOf(THREE_DAYS);
    const source = storeOf([], {
      earliestSampleMs: told.earliestSampleMs,
      async *read(...question) {
        yield* whole.read(...question);
        if (!isUp && question[0].metric.startsWith('container_cpu')) {
          throw new Unavailable('the connection broke off');
        }
      },
    });
    const stop = new AbortController();
    const builder = over(source);
    const running = builder.run(stop.signal).catch((error: unknown) => error);
    while (said.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(said.splice(0), [
      '2024-05-20 failed: Unavailable: the connection broke off',
      '2024-05-20 failed: Unavailable: the connection broke off',
    ]);
    assert.deepEqual(sets.list('allocations'), []);
    assert.deepEqual(builder.progress, {
      done: 0,
      total: 3,
      failing: ['2024-05-20: the connection broke off'],
    });
    isUp = true;
    while (builder.progress.done < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(builder.progress.failing, []);
    stop.abort();
    await running;
  });

  const APART = [
    podOf('before', TODAY - 3 * DAY, TODAY - 2 * DAY),
    podOf('after', TODAY - DAY, TODAY + DAY),
  ];

  for (const [store, changes] of [
    ['tells its first sample', { earliestSampleMs: () => Promise.resolve(TODAY - 3 * DAY) }],
    ['does not tell its first sample', {}],
  ] as const) {
    test(`a day without samples between others is stored as unknown, where the store ${store}`, async () => {
      const { failing } = await fill(over(storeOf(APART, changes)));
      assert.deepEqual(failing, []);
      const blank = dayAt(TODAY - 2 * DAY);
      assert.deepEqual([blank?.rows, blank?.meta.state, blank?.meta.hasGaps], [0, 'sealed', true]);
      assert.deepEqual(blank?.meta.warnings, [
        'a store of known lives has no samples of 2024-05-18T00:00:00.000Z to ' +
          '2024-05-19T00:00:00.000Z: what it cost is unknown',
      ]);
      assert.equal(await coreHours(TODAY - 3 * DAY), 24);
      assert.equal(days().length, 4);
    });
  }

  test('days before the first sample are not stored, nor requested without end', async () => {
    await fill(over(storeOf(THREE_DAYS)));
    assert.equal(days().length, 3);
    assert.equal(said.length, 5 + 7);
  });

  test('a day of which the store has lost the samples stays as it was', async () => {
    const window = { startMs: TODAY, endMs: TODAY + DAY };
    await fill(over(storeOf(THREE_DAYS)), window);
    nowMs = TODAY + 26 * HOUR;
    for (const [isAgain, reason] of [
      [false, /^a store of known lives has no sample after 2024-05-20T09:50/],
      [true, /^2024-05-20: .*has no samples/],
    ] as const) {
      const { failing } = await fill(over(storeOf([])), window, isAgain);
      assert.match(failing.join(), reason);
      assert.deepEqual([await coreHours(TODAY), dayAt(TODAY)?.meta.state], [10, 'partial']);
    }
  });

  const JUMPS = { '15 hours': 14.7 * HOUR, 'a day': DAY + HOUR, 'a year': 366 * DAY };
  for (const [jump, aheadMs] of Object.entries(JUMPS))
    test(`P-C11: a clock that goes ahead by ${jump} seals no day before its end`, async () => {
      let seenMs = nowMs;
      const read: MetricsSource['read'] = (what, { startMs, endMs }, ...rest) =>
        storeOf(THREE_DAYS).read(what, { startMs, endMs: Math.min(endMs, seenMs) }, ...rest);
      const source = storeOf([], { ...told, read });
      const isEarly = ({ key, meta }: SetInfo): boolean =>
        meta.state === 'sealed' && key.endMs > seenMs;
      await fill(over(source), { startMs: TODAY - DAY, endMs: TODAY + DAY });
      nowMs += aheadMs;
      // One that knows the time, and one that has to look for it.
      for (const builder of [over(source), over(source)]) {
        await fill(builder, { ...FAR, endMs: TODAY + 3 * DAY });
        await fill(builder, { ...FAR, endMs: TODAY + 3 * DAY });
        assert.deepEqual([sets.list('allocations').filter(isEarly), days().length], [[], 3]);
      }
      nowMs = seenMs = TODAY + DAY + HOUR;
      const { failing } = await fill(over(source), FAR);
      assert.deepEqual([failing, dayAt(TODAY)?.meta.state], [[], 'sealed']);
      assert.equal(await coreHours(TODAY), 24);
    });

  test('P-C11: a clock that was a year back and goes a day ahead seals no day before its end', async () => {
    const seenMs = nowMs;
    const read: MetricsSource['read'] = (what, { startMs, endMs }, ...rest) =>
      storeOf(THREE_DAYS).read(what, { startMs, endMs: Math.min(endMs, seenMs) }, ...rest);
    const builder = over(storeOf([], { ...told, read }));
    nowMs = seenMs - 366 * DAY;
    await fill(builder, { startMs: nowMs - 3 * DAY, endMs: nowMs });
    nowMs = seenMs + DAY;
    elapsedMs += HOUR;
    await fill(builder, { ...FAR, endMs: TODAY + 3 * DAY });
    const isEarly = ({ key, meta }: SetInfo): boolean =>
      meta.state === 'sealed' && key.endMs > seenMs;
    assert.deepEqual(sets.list('allocations').filter(isEarly), []);
  });

  test('a store without later samples lets its last day be final, by waiting or by --again', async () => {
    const window = { startMs: TODAY, endMs: TODAY + DAY };
    const source = storeOf([podOf('last', TODAY - DAY, TODAY + 20 * HOUR)], told);
    nowMs = TODAY + 3 * DAY;
    const builder = over(source);
    const { failing } = await fill(builder, window);
    assert.match(failing.join(), /no sample after 2024-05-20T2\d:\d\d/);
    assert.equal(dayAt(TODAY)?.meta.state, 'partial');
    elapsedMs += 6 * HOUR;
    await fill(builder, window);
    assert.equal(dayAt(TODAY)?.meta.state, 'sealed');
    await sets.remove(sets.list('allocations').map(({ key }) => key));
    assert.deepEqual((await fill(over(source), window, true)).failing, []);
    assert.equal(dayAt(TODAY)?.meta.state, 'sealed');
    assert.equal(await coreHours(TODAY), 20);
  });

  test('a damaged day is built again', async () => {
    const source = storeOf(THREE_DAYS);
    const window = { startMs: TODAY - DAY, endMs: TODAY };
    await fill(over(source), window);
    const stored = sets.locate({ kind: 'allocations', ...window });
    assert.ok(stored && 'address' in stored.place, 'it is not in memory');
    building.compute.arena.u8(stored.place.address, 1000).fill(0);
    await sets.setAside(stored);
    assert.ok(dayAt(TODAY - DAY)?.damage, 'it is whole');
    await fill(over(source), window);
    assert.equal(await coreHours(TODAY - DAY), 24);
  });

  test('days are removed when they are older than the retention', async () => {
    const source = storeOf(THREE_DAYS, told);
    await fill(over(source));
    nowMs += 3 * DAY;
    await fill(over(source, { rules: { ...rules, retentionMs: 4 * DAY } }), FAR);
    assert.equal(dayAt(TODAY - 2 * DAY), undefined);
    assert.equal(dayAt(TODAY - DAY)?.meta.state, 'sealed');
  });

  test('days are added while there is room for them', async () => {
    const { total } = await fill(over(storeOf(THREE_DAYS, told), { bytesMax: 1 }));
    assert.equal(total, 1);
  });

  test('queries that wait go first', async () => {
    const admission = createAdmission({ lane: 'questions', running: 1, waiting: 1, waitMs: 1000 });
    const leave = await admission.enter(NEVER);
    const filling = fill(over(storeOf(THREE_DAYS, { ...told }), { admission }), FAR);
    const query = admission.enter(NEVER).then((leaveQuery) => {
      said.push('query');
      leaveQuery();
    });
    leave();
    await query;
    await filling;
    assert.equal(said[0], 'query');
  });
});

/** The metrics store is told for which job of a builder it reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilder } from '../../../src/allocation/index.ts';
import { createKnownLives, type MetricsSource } from '../../../src/metrics/index.ts';
import { createAdmission } from '../../../src/pool/index.ts';
import { createCalendar, traceOf } from '../../../src/query/index.ts';
import { createMemorySets } from '../../../src/storage/index.ts';
import { startBuilding } from '../../support/stores/builds.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TODAY = Date.UTC(2024, 4, 20);
const NOW = TODAY + 3 * HOUR;
const FIRST = TODAY - DAY;

test('what is read for one job has one trace, and what is read for another job another', async () => {
  const building = await startBuilding([]);
  const { arena, owners } = building.compute;
  const pod = { name: 'app', startMs: FIRST, endMs: NOW, cpuCores: 1, ramBytes: 2 ** 30 };
  const cpuUsage = { fromMs: FIRST, cores: new Float64Array((NOW - FIRST) / 60_000 + 1) };
  const whole = createKnownLives([{ ...pod, cpuUsage }], { scrapeMs: 300_000, hasTimes: true });
  const traces: (string | undefined)[] = [];
  const source: MetricsSource = {
    ...whole,
    earliestSampleMs: () => Promise.resolve(FIRST),
    read(...question) {
      traces.push(traceOf(question[2])?.traceId);
      return whole.read(...question);
    },
  };
  const built: string[] = [];
  const builder = createBuilder({
    ...building,
    metrics: { ...building.metrics, source },
    sets: createMemorySets({ arena, owner: owners.take(), nowMs: () => NOW }),
    rules: { calendar: createCalendar('UTC'), retentionMs: 9 * DAY, refreshMs: 300_000, sealAfterMs: HOUR }, // prettier-ignore
    bytesMax: Infinity,
    admission: createAdmission({ lane: 'questions', running: 1, waiting: 1, waitMs: 1000 }),
    nowMs: () => NOW,
    elapsedMs: () => NOW,
    onBuilt: (what) => void built.push(what),
    onFailed: (what, error) => assert.fail(`${what}: ${String(error)}`),
  });
  const never = new AbortController().signal;
  await builder.fill({ window: undefined, isAgain: false, onProgress: () => undefined }, never);
  await building.close();
  assert.deepEqual(built, ['2024-05-20', '2024-05-19', 'hours of 2024-05-19']);
  assert.ok(traces.length > 3 && !traces.includes(undefined), traces.join());
  const runs = traces.filter((trace, i) => trace !== traces[i - 1]);
  // The first is of a look at how far the store goes.
  assert.deepEqual([runs.length, new Set(runs).size], [1 + 3, 1 + 3], runs.join());
});

/** Memory of a read by range selectors from a real store, for windows of any length. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { writeStore, type SampledSeries } from '../../bench/store-block.ts';
import { createQueryRange } from '../../src/metrics/index.ts';
import { startPrometheus, type Prometheus } from '../support/stores/prometheus.ts';
import { LIMITS } from '../support/stores/remote-reading.ts';
import { skipWithout } from '../support/servers/services.ts';
import { measured } from '../support/measured.ts';

const START_MS = Date.UTC(2024, 2, 10);
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SERIES = 400;
const SAMPLE_BYTES = 16;
const HOURS = [6, 24, 96];

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of objects and buffers in use, after collecting garbage. */
function bytesInUse(): number {
  // Buffers are freed on a separate thread, which the next collection waits for.
  for (let i = 0; i < 3; i++) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A sample each minute for `hours`, all with different values. */
function series(place: number, hours: number): SampledSeries {
  const timesMs = Float64Array.from({ length: 60 * hours }, (_, i) => START_MS + i * MINUTE_MS);
  const labels = [['__name__', 'demo_value'], ['pod', `pod-${place}`]] as const; // prettier-ignore
  return { labels, samples: () => ({ timesMs, values: timesMs.map((_, i) => place + i / 7) }) };
}

interface Reading {
  /** The maximum in use while the window was read, less what was in use before. */
  readonly mostBytes: number;
  readonly sampleBytes: number;
}

async function readWindow(url: string, hours: number): Promise<Reading> {
  const source = createQueryRange({ url, ...LIMITS, totalTimeoutMs: 60_000 });
  const range = { startMs: START_MS, endMs: START_MS + hours * HOUR_MS - 1 };
  const selection = { metric: 'demo_value', matchers: [] };
  const idleBytes = bytesInUse();
  let [mostBytes, sampleBytes, batches] = [0, 0, 0];
  for await (const { bytes } of source.read(selection, range, new AbortController().signal)) {
    sampleBytes += bytes.length;
    // The same number of measurements for each window.
    if (batches++ % Math.ceil(hours / 6) !== 0) continue;
    mostBytes = Math.max(mostBytes, bytesInUse() - idleBytes);
  }
  await source.close();
  return { mostBytes, sampleBytes };
}

describe('a read by range selectors', { skip: skipWithout('prometheus') }, () => {
  let prometheus: Prometheus;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'prorata-windows-'));
    const most = Math.max(...HOURS);
    const all = Array.from({ length: SERIES }, (_, i) => series(i, most));
    const range = { startMs: START_MS, endMs: START_MS + most * HOUR_MS };
    await writeStore(join(folder, 'data'), range, all);
    prometheus = await startPrometheus({ dataFolder: join(folder, 'data') });
  });

  after(async () => {
    await prometheus.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('P-M2: holds no more memory for four days than for six hours', async (t) => {
    await readWindow(prometheus.url, 1); // loads everything that is loaded once
    const readings: Reading[] = [];
    for (const hours of HOURS) readings.push(await readWindow(prometheus.url, hours));
    for (const [i, { sampleBytes }] of readings.entries()) {
      const expected = SERIES * 60 * (HOURS[i] ?? NaN) * SAMPLE_BYTES;
      assert.ok(sampleBytes >= expected, `${sampleBytes} bytes of ${expected} for ${HOURS[i]} h`);
    }
    const [least = NaN, ...more] = readings.map(({ mostBytes }) => mostBytes);
    const shown = readings.map(({ mostBytes }) => `${(mostBytes / 1e6).toFixed(1)} MB`).join();
    for (const bytes of more) assert.ok(bytes <= least + 1e6, `${shown} for ${HOURS.join()} h`);
    measured(t, 'P-M2', `${shown} for ${HOURS.join()} h`);
  });
});

/** Raw samples of a real store, through the two readers of JSON. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openMetricsWriter, type Labels } from '../../scripts/openmetrics.ts';
import {
  createQueryRange,
  createRemoteRead,
  createVictoriaExport,
  type MetricsSource,
  type TimeRange,
} from '../../src/metrics/index.ts';
import { startPrometheus, type Prometheus } from '../support/stores/prometheus.ts';
import { numberOf, readBatches } from '../support/references/read-batches.ts';
import { LIMITS } from '../support/stores/remote-reading.ts';
import { skipWithout } from '../support/servers/services.ts';
import { startVictoria, VICTORIA, type Victoria } from '../support/stores/victoria.ts';

const START_MS = Date.UTC(2024, 2, 10, 22, 0, 7, 300);
const SAMPLES = 400;
const RANGE: TimeRange = { startMs: START_MS - 60_000, endMs: timeAt(SAMPLES - 1) };
const SIGNAL = new AbortController().signal;

function timeAt(i: number): number {
  return START_MS + i * 60_000 + ((i * 37) % 90) - 45;
}

/** Infinities, which a reader passes on, and values that VictoriaMetrics stores unchanged. */
function valueAt(series: number, i: number): number {
  if (series === 0) return [Infinity, 1, -Infinity, 2.5][i % 4] ?? 0;
  return series === 1 ? 7 : i * series + (i % 7) / 8;
}

const LABELS: readonly Labels[] = Array.from({ length: 10 }, (_, n) => ({
  pod: `pod-${n}`,
  team: n % 2 === 0 ? 'a' : '',
  __proto__x: 'x',
  text: `quote " slash \\ line \n é ${n}`,
}));

type Read = Map<string, readonly (readonly [ms: number, value: number])[]>;

/** Samples in order, repeated ones once. */
async function readAll(source: MetricsSource, range: TimeRange): Promise<Read> {
  const selection = { metric: 'demo_value', matchers: [] };
  const read = await readBatches(source.read(selection, range, SIGNAL));
  return new Map(
    [...read].map(([key, { timestampsMs, valueBits }]) => {
      const values = new Map(timestampsMs.map((ms, i) => [ms, numberOf(valueBits[i] ?? 0n)]));
      const inside = [...values].filter(([ms]) => ms >= range.startMs && ms <= range.endMs);
      return [key, inside.toSorted(([a], [b]) => a - b)];
    }),
  );
}

const skip = skipWithout('prometheus', 'promtool', VICTORIA);

describe('raw samples are those of remote read', { skip, timeout: 60_000 }, () => {
  let prometheus: Prometheus;
  let victoria: Victoria;
  let expected: Read;

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prorata-samples-'));
    const file = join(folder, 'samples.om');
    const writer = openMetricsWriter(file);
    writer.family('demo_value', 'gauge');
    for (const [n, labels] of LABELS.entries())
      await writer.series(
        labels,
        Array.from({ length: SAMPLES }, (_, i) => [timeAt(i), valueAt(n, i)] as const),
      );
    await writer.close();
    prometheus = await startPrometheus({ blocksFrom: [file] });
    victoria = await startVictoria([file]);
    await rm(folder, { recursive: true });
    const source = createRemoteRead({ url: prometheus.url, ...LIMITS });
    expected = await readAll(source, RANGE);
    await source.close();
  });

  after(async () => {
    await prometheus.stop();
    await victoria.stop();
  });

  const ROWS: readonly (readonly [string, 'Prometheus' | 'VictoriaMetrics', sliceMs?: number])[] = [
    ['an export', 'VictoriaMetrics'],
    ['one range selector after another', 'Prometheus'],
    ['range selectors of 7 minutes', 'Prometheus', 420_000],
    ['range selectors of 7 minutes', 'VictoriaMetrics', 420_000],
    ['range selectors as long as the scrape interval', 'Prometheus', 60_000],
  ];

  for (const [what, store, sliceMs] of ROWS)
    test(`by ${what} of ${store}`, async () => {
      const options = { url: store === 'Prometheus' ? prometheus.url : victoria.url, ...LIMITS };
      const source =
        what === 'an export'
          ? createVictoriaExport(options)
          : createQueryRange(sliceMs === undefined ? options : { ...options, sliceMs });
      try {
        const read = await readAll(source, RANGE);
        assert.equal(read.size, LABELS.length);
        assert.deepEqual(
          [...read].toSorted(([a], [b]) => (a < b ? -1 : 1)),
          [...expected].toSorted(([a], [b]) => (a < b ? -1 : 1)),
        );
        const edges = { startMs: timeAt(3), endMs: timeAt(5) };
        for (const samples of (await readAll(source, edges)).values())
          assert.deepEqual(
            samples.map(([ms]) => ms),
            [timeAt(3), timeAt(4), timeAt(5)],
          );
      } finally {
        await source.close();
      }
    });
});

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openMetricsWriter, type Labels } from '../../scripts/openmetrics.ts';
import { createRemoteRead, type Matcher, type RemoteRead } from '../../src/metrics/index.ts';
import { startPrometheus, type Prometheus } from '../support/stores/prometheus.ts';
import {
  numberOf,
  readBatches,
  seriesKey,
  type ReadSeries,
} from '../support/references/read-batches.ts';
import { skipWithout } from '../support/servers/services.ts';

const START_MS = Date.UTC(2024, 2, 10, 22, 0, 7, 300);
const MINUTE_MS = 60_000;
const SAMPLES = 400;
const SIGNAL = new AbortController().signal;

/** Values that are difficult for a codec, then ordinary ones. */
const ODD = [0, -0, 1e-310, 5e-324, Number.MAX_VALUE, Infinity, -Infinity, Number.NaN, -1.5, 0.1];

function valueAt(series: number, i: number): number {
  if (series === 0) return ODD[i % ODD.length] ?? 0;
  return series === 1 ? 7 : i * series + (i % 7) / 3;
}

function timeAt(i: number): number {
  return START_MS + i * MINUTE_MS + ((i * 37) % 90) - 45;
}

const LABELS: readonly Labels[] = Array.from({ length: 30 }, (_, n) => ({
  pod: `pod-${n}`,
  team: n % 2 === 0 ? 'a' : '',
  text: `quote " slash \\ line \n é ${n}`,
}));

async function store(file: string): Promise<Prometheus> {
  const writer = openMetricsWriter(file);
  for (const name of ['demo_value', 'other_value']) {
    writer.family(name, 'gauge');
    for (const [n, labels] of LABELS.entries())
      await writer.series(
        labels,
        Array.from({ length: SAMPLES }, (_, i) => [timeAt(i), valueAt(n, i)] as const),
      );
  }
  await writer.close();
  return await startPrometheus({ blocksFrom: [file] });
}

interface RangeVector {
  readonly metric: Labels;
  readonly values: readonly (readonly [seconds: number, value: string])[];
}

/** The same by PromQL: a range selector gives raw samples. Its left end is excluded. */
async function rawSamples(
  url: string,
  selector: string,
  startMs: number,
  endMs: number,
): Promise<Map<string, RangeVector>> {
  const query = `${selector}[${endMs - startMs + 1}ms]`;
  const parameters = new URLSearchParams({ query, time: String(endMs / 1000) });
  const response = await fetch(`${url}/api/v1/query?${parameters.toString()}`);
  const { data } = (await response.json()) as { data: { result: RangeVector[] } };
  return new Map(data.result.map((vector) => [seriesKey(vector.metric), vector]));
}

/** Samples within the range: a store sends whole chunks. */
function clipped(series: ReadSeries, startMs: number, endMs: number): [number, number][] {
  return series.timestampsMs
    .map((ms, i): [number, number] => [ms, numberOf(series.valueBits[i] ?? 0n)])
    .filter(([ms]) => ms >= startMs && ms <= endMs);
}

describe('against a real Prometheus', { skip: skipWithout('prometheus', 'promtool') }, () => {
  let folder = '';
  let prometheus: Prometheus;
  let source: RemoteRead;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'prorata-remote-read-'));
    prometheus = await store(join(folder, 'samples.om'));
    source = createRemoteRead({
      url: `${prometheus.url}/`,
      idleTimeoutMs: 5000,
      totalTimeoutMs: 10_000,
    });
  });

  after(async () => {
    await source.close();
    await prometheus.stop();
    await rm(folder, { recursive: true });
  });

  const END_MS = timeAt(SAMPLES - 1);
  const ROWS: readonly (readonly [string, readonly Matcher[], from: number, to: number])[] = [
    ['demo_value', [], START_MS - MINUTE_MS, END_MS],
    [
      'demo_value{pod="pod-3"}',
      [{ label: 'pod', operator: '=', value: 'pod-3' }],
      START_MS,
      END_MS,
    ],
    [
      'demo_value{pod!="pod-3"}',
      [{ label: 'pod', operator: '!=', value: 'pod-3' }],
      START_MS + 1e7,
      END_MS - 1e6,
    ],
    [
      'demo_value{pod=~"pod-1.*"}',
      [{ label: 'pod', operator: '=~', value: 'pod-1.*' }],
      timeAt(100),
      timeAt(100),
    ],
    [
      'demo_value{pod!~"pod-.",team=""}',
      [
        { label: 'pod', operator: '!~', value: 'pod-.' },
        { label: 'team', operator: '=', value: '' },
      ],
      timeAt(119),
      timeAt(250),
    ],
    [
      'demo_value{pod="nobody"}',
      [{ label: 'pod', operator: '=', value: 'nobody' }],
      START_MS,
      END_MS,
    ],
  ];

  for (const [selector, matchers, startMs, endMs] of ROWS)
    test(`${selector} from ${startMs} to ${endMs} has the samples of a range selector`, async () => {
      const batches = source.read({ metric: 'demo_value', matchers }, { startMs, endMs }, SIGNAL);
      const read = await readBatches(batches);
      const expected = await rawSamples(prometheus.url, selector, startMs, endMs);
      assert.equal(read.size, expected.size);
      for (const [key, { values }] of expected) {
        const series = read.get(key);
        assert.ok(series, key);
        const wanted = values.map(([seconds, text]) => [Math.round(seconds * 1000), parse(text)]);
        assert.deepEqual(clipped(series, startMs, endMs), wanted);
      }
    });

  test('the identity and the oldest sample of the store are read', async () => {
    const { application, version } = await source.probe(SIGNAL);
    assert.match(`${application} ${version}`, /^Prometheus \d+\.\d+/);
    assert.equal(await source.earliestSampleMs?.(SIGNAL), timeAt(0));
  });
});

function parse(text: string): number {
  return Number(text.replace('Inf', 'Infinity'));
}

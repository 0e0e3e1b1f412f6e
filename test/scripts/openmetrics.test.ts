import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { openMetricsWriter, type Sample, secondsText } from '../../scripts/openmetrics.ts';
import { startPrometheus } from '../support/stores/prometheus.ts';
import { skipWithout } from '../support/servers/services.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prorata-openmetrics-'));
});
after(() => rm(folder, { recursive: true, force: true }));

test('a file has a type line per family, a line per sample and the closing mark', async () => {
  const file = join(folder, 'lines.om');
  const writer = openMetricsWriter(file);
  writer.family('node_cpu_hourly_cost', 'gauge', 'Price\nof a core');
  await writer.series({ node: 'a' }, [
    [1_704_067_200_000, 0.031611],
    [1_704_067_260_457, NaN],
  ]);
  writer.family('busy_seconds_total', 'counter');
  await writer.series({ path: 'C:\\"x"\n' }, [[1_704_067_200_000, Infinity]]);
  assert.equal(await writer.close(), 3);
  assert.equal(
    await readFile(file, 'utf8'),
    `# TYPE node_cpu_hourly_cost gauge
# HELP node_cpu_hourly_cost Price\\nof a core
node_cpu_hourly_cost{node="a"} 0.031611 1704067200
node_cpu_hourly_cost{node="a"} NaN 1704067260.457
# TYPE busy_seconds counter
busy_seconds_total{path="C:\\\\\\"x\\"\\n"} +Inf 1704067200
# EOF
`,
  );
});

test('samples of a series out of order or at one time are refused', async () => {
  const writer = openMetricsWriter(join(folder, 'order.om'));
  writer.family('up', 'gauge');
  for (const secondMs of [1000, 999])
    await assert.rejects(
      writer.series({}, [
        [1000, 1],
        [secondMs, 1],
      ]),
      /^Error: BUG: up\{\} at \d+ ms comes after 1000 ms$/,
    );
  await writer.close();
});

test('seconds times 1000, cut, give the milliseconds back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), (timestampMs) => {
      assert.equal(Math.trunc(Number(secondsText(timestampMs)) * 1000), timestampMs);
    }),
    { numRuns: 100_000 },
  );
});

test(
  'Prometheus gives back the labels, times and values that were written',
  { skip: skipWithout('prometheus', 'promtool') },
  async () => {
    const samples: Sample[] = [
      [1_704_067_200_123, 1 / 3],
      [1_704_067_260_457, 1e21],
      [1_704_067_320_001, -Infinity],
    ];
    const file = join(folder, 'served.om');
    const writer = openMetricsWriter(file);
    writer.family('odd_total', 'unknown');
    await writer.series({ value: 'a"b\\c\nd' }, samples);
    await writer.close();
    const prometheus = await startPrometheus({ blocksFrom: [file] });
    try {
      const query = new URLSearchParams({ query: 'odd_total[5m]', time: '1704067400' });
      const response = await fetch(`${prometheus.url}/api/v1/query?${query.toString()}`);
      assert.deepEqual(((await response.json()) as { data: unknown }).data, {
        resultType: 'matrix',
        result: [
          {
            metric: { __name__: 'odd_total', value: 'a"b\\c\nd' },
            values: [
              [1704067200.123, '0.3333333333333333'],
              [1704067260.457, '1e+21'],
              [1704067320.001, '-Inf'],
            ],
          },
        ],
      });
    } finally {
      await prometheus.stop();
    }
  },
);

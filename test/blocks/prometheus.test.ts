/**
 * One fleet, read from a real Prometheus by remote read, from the folder of its blocks, and from a bucket as Thanos fills it:
 * the same bytes.
 */
import assert from 'node:assert/strict';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createBlocks } from '../../scripts/prometheus-blocks.ts';
import { COSTS_END_MS, COSTS_START_MS } from '../support/fleets/costs-fleet.ts';
import { costSeries } from '../support/fleets/costs-series.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { startCloud, type ScriptedCloud } from '../support/servers/scripted-cloud.ts';
import { skipWithout } from '../support/servers/services.ts';
import { bucketOfFolder, variablesOf } from '../support/stores/block-bucket.ts';
import { startPrometheus, type Prometheus } from '../support/stores/prometheus.ts';
import { s3Answer } from '../support/stores/s3-script.ts';
import { writeSeries } from '../support/stores/series-file.ts';

const WINDOW = `${COSTS_START_MS / 1000},${COSTS_END_MS / 1000}`;
const QUERIES = [
  'resolution=exact',
  'resolution=1m',
  'resolution=5m&aggregate=namespace&includeIdle=true&shareIdle=true',
  'resolution=exact&aggregate=label:app,node&accumulate=true&step=1h',
  'resolution=exact&aggregate=cluster,controller',
];
/** Prometheus leaves its blocks as they are. */
const NO_COMPACTION = [
  '--storage.tsdb.min-block-duration=2h',
  '--storage.tsdb.max-block-duration=2h',
];

describe('blocks of a real Prometheus', { skip: skipWithout('prometheus', 'promtool') }, () => {
  const home = quickFolder('blocks-of-prometheus');
  const blocks = join(home, 'blocks');
  const stops: (() => unknown)[] = [];
  let prometheus: Prometheus;
  let cloud: ScriptedCloud;
  let reading: OwnServer;
  let ofFolder: OwnServer;
  let ofBucket: OwnServer;

  before(async () => {
    const file = join(home, 'series.txt');
    await writeSeries(file, costSeries());
    await createBlocks(file, blocks, '2h');
    assert.ok(readdirSync(blocks).length >= 3, 'several blocks');
    cpSync(blocks, join(home, 'served'), { recursive: true });
    prometheus = await startPrometheus({ dataFolder: join(home, 'served'), flags: NO_COMPACTION });
    stops.push(() => prometheus.stop());
    const script = bucketOfFolder('metrics', 'prod/', blocks);
    cloud = await startCloud((request) => s3Answer(script, request));
    stops.push(() => cloud.close());
    const own = [`--now=${new Date(COSTS_END_MS).toISOString()}`, '--workers=1'];
    const started = async (url: string): Promise<OwnServer> => {
      const server = await startOwnServer(
        [...own, `--metrics-url=${url}`],
        undefined,
        variablesOf(cloud.origin),
      );
      stops.push(() => server.stop());
      return server;
    };
    reading = await started(prometheus.url);
    ofFolder = await started(`file://${blocks}`);
    ofBucket = await started('s3://metrics/prod');
  });
  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  for (const query of QUERIES)
    test(`${query}: the same bytes`, async () => {
      const asked = `window=${WINDOW}&${query}`;
      const answer = await reading.compute(asked);
      assert.equal(answer.status, 200, answer.text);
      for (const server of [ofFolder, ofBucket]) {
        const { status, text } = await server.compute(asked);
        assert.equal(status, 200, text);
        assert.ok(text === answer.text, `${text.slice(0, 3000)}\n${answer.text.slice(0, 3000)}`);
      }
    });

  test('the times of blocks are told, and what is asked for after them', async () => {
    const later = `${COSTS_START_MS / 1000},${COSTS_END_MS / 1000 + 12 * 3600}`;
    const { text } = await ofBucket.compute(`window=${later}&resolution=1m`);
    const { warnings } = JSON.parse(text) as { warnings: string[] };
    const told = warnings.find((each) => each.startsWith('blocks of s3://metrics/prod reach to'));
    assert.match(
      told ?? warnings.join('; '),
      /reach to 2024-05-07T1\d:\d\d:\d\d\.\d\d\dZ, as they/,
    );
  });
});

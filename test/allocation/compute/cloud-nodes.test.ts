/**
 * Nodes as real clouds label them, by what kube-state-metrics tells alone, through a real Prometheus and
 * the whole server: each costs its list price, or the answer names what is missing.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { GIB, type Shown } from '../../support/fleets/cloud-nodes.ts';
import { GUESSED_GPUS, LISTED, UNLISTED } from '../../support/fleets/listed-nodes.ts';
import { startOwnServer } from '../../support/servers/own-server.ts';
import { skipWithout } from '../../support/servers/services.ts';
import { startPrometheus, type Prometheus } from '../../support/stores/prometheus.ts';
import { told, writeSeries, type ToldSeries } from '../../support/stores/series-file.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2024, 4, 7, 6);
const HOURS = 2;
const WINDOW = `${START_MS / 1000},${START_MS / 1000 + HOURS * 3600}`;
const SCRAPED = { startMs: START_MS - HOUR_MS, endMs: START_MS + 3 * HOUR_MS, everyMs: 60_000 };
/** Kubernetes shows a little less memory than a machine is sold with. */
const SHOWN_GIB = 0.94;

interface Case {
  readonly node: string;
  readonly what: string;
  readonly shown: Shown;
  /** USD of an hour of the node. */
  readonly usdPerHour: number;
  readonly source: 'list' | 'book' | 'mixed';
  /** What a warning must name: its cloud, region and type or model; undefined where nothing is missing. */
  readonly missing: string | undefined;
}

const CASES: readonly Case[] = [
  ...LISTED.map(([what, way, type, zone, size, usdPerHour], i) => ({
    node: `listed-${i}`,
    what: `${what}: ${type} in ${zone}`,
    shown: { ...way(type, zone), size },
    usdPerHour,
    source: 'list' as const,
    missing: undefined,
  })),
  ...UNLISTED.map(([what, shown, { rates, source, unlisted }], i) => ({
    node: `unlisted-${i}`,
    what,
    shown: { ...shown, size: [4, 16] as const },
    usdPerHour: 4 * rates[0] + 16 * SHOWN_GIB * rates[1],
    source,
    missing: unlisted,
  })),
  ...GUESSED_GPUS.map(([what, shown, usdPerHour, source, missing], i) => ({
    node: `gpus-${i}`,
    what,
    shown,
    usdPerHour,
    source,
    missing,
  })),
];

/** As kube-state-metrics writes names of labels: in lower case, words apart. */
function labelName(name: string): string {
  const words = name.replace(/[^a-zA-Z0-9_]/g, '_').replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  return `label_${words.toLowerCase()}`;
}

/** A node and a pod on it that requests a core and a GiB less than it has, and no GPU. */
function seriesOf({ node, shown }: Case): ToldSeries[] {
  const { labels, providerId, size } = shown;
  const [cores, ramGiB, gpus] = size;
  const { resource: gpu = 'nvidia_com_gpu' } = shown;
  const capacity = (resource: string, value: number): ToldSeries =>
    told('kube_node_status_capacity', { node, resource }, SCRAPED, value);
  const pod = { namespace: 'shop', pod: `on-${node}`, uid: node };
  const request = (resource: string, value: number): ToldSeries =>
    told(
      'kube_pod_container_resource_requests',
      { ...pod, node, container: 'app', resource },
      SCRAPED,
      value,
    );
  const named = Object.entries(labels).map(([name, value]) => [labelName(name), value] as const);
  return [
    told('kube_node_info', { node, provider_id: providerId }, SCRAPED),
    told('kube_node_labels', { node, ...Object.fromEntries(named) }, SCRAPED),
    capacity('cpu', cores),
    capacity('memory', ramGiB * SHOWN_GIB * GIB),
    ...(gpus === undefined ? [] : [capacity(gpu, gpus)]),
    told('kube_pod_info', { ...pod, node }, SCRAPED),
    request('cpu', cores / 4),
    request('memory', (ramGiB / 4) * GIB),
  ];
}

interface Row {
  readonly totalCost: number;
  readonly priceSource: string;
}

describe(
  'nodes by kube-state-metrics alone',
  { skip: skipWithout('prometheus', 'promtool') },
  () => {
    let prometheus: Prometheus;
    let folder = '';
    let rows: Readonly<Record<string, Row>> = {};
    let warnings = '';

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'prorata-cloud-nodes-'));
      const file = join(folder, 'fleet.om');
      await writeSeries(file, CASES.flatMap(seriesOf));
      prometheus = await startPrometheus({ blocksFrom: [file] });
      const server = await startOwnServer([`--metrics-url=${prometheus.url}`]);
      const { status, text } = await server.compute(
        `window=${WINDOW}&resolution=exact&aggregate=node&idle=true&splitIdle=true&idleByNode=true`,
      );
      await server.stop();
      assert.equal(status, 200, text);
      const answer = JSON.parse(text) as { data: [typeof rows]; warnings?: string[] };
      rows = answer.data[0];
      warnings = answer.warnings?.join('\n') ?? '';
    });
    after(async () => {
      await prometheus?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    test('there are at least sixty of them with a list price', () => {
      assert.ok(LISTED.length >= 60, String(LISTED.length));
    });

    for (const { node, what, usdPerHour, source, missing } of CASES) {
      const named = missing === undefined ? '' : `, and ${missing} is named`;
      test(`${what}, costs ${usdPerHour} USD an hour${named}`, () => {
        const own = rows[node];
        const idle = rows[`default-cluster/${node}/__idle__`];
        const usd = (own?.totalCost ?? NaN) + (idle?.totalCost ?? NaN);
        const expected = usdPerHour * HOURS;
        assert.ok(Math.abs(usd - expected) <= 1e-9 * expected, `${usd}, not ${expected}`);
        assert.equal(own?.priceSource, source);
        if (missing !== undefined)
          assert.match(warnings, new RegExp(`[(,] ?${missing} \\(\\d+\\)`));
      });
    }
  },
);

/** Where prices of nodes come from, through a real Prometheus and the whole server. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { useNewerPrices } from '../../../src/pricing/index.ts';
import { writeNewerPrices } from '../../../src/server/newer-prices.ts';
import { startOwnServer } from '../../support/servers/own-server.ts';
import { startPrometheus, type Prometheus } from '../../support/stores/prometheus.ts';
import { told, writeSeries, type ToldSeries } from '../../support/stores/series-file.ts';
import { skipWithout } from '../../support/servers/services.ts';

const HOUR_MS = 3_600_000;
const GIB = 2 ** 30;
const START_MS = Date.UTC(2024, 4, 7, 6);
const HOURS = 3;
const WINDOW = `${START_MS / 1000},${START_MS / 1000 + HOURS * 3600}`;
const SCRAPED = { startMs: START_MS - HOUR_MS, endMs: START_MS + 4 * HOUR_MS, everyMs: 60_000 };
const BOOK = { cpu: 0.031611, ram: 0.004237, gpu: 0.95, spotCpu: 0.006655, spotRam: 0.000892 };
/** A node of 2 cores and 8 GiB. */
const RATIO = 0.1 / (2 * BOOK.cpu + 8 * BOOK.ram);
const SPOT_RATIO = 0.03 / (2 * BOOK.cpu + 8 * BOOK.ram);
/** A node of the same type, of which Kubernetes sees 1.5 cores and 7 GiB. */
const SIZED_RATIO = 0.1 / (1.5 * BOOK.cpu + 7 * BOOK.ram);
/** A t3.medium, of 2 cores and 4 GiB, in the ratio of the prices of its region. */
const LIST = { cpu: 0.03465, ram: 0.003938 };
const LIST_RATIO = 0.0416 / (2 * LIST.cpu + 4 * LIST.ram);
/** A node of 8 cores, 32 GiB and 2 GPUs. */
const GPU_RATIO = 3 / (8 * BOOK.cpu + 32 * BOOK.ram + 2 * BOOK.gpu);

const FILE = [
  'provider,region,name,vCPUs,RAMGB,GPUs,hourlyPrice,spotHourlyPrice',
  'AWS,us-east-1,m.large,2,8.0,0,0.1,0.03',
  'AWS,us-east-1,g.large,8,32.0,2,3,',
];

type Labels = Readonly<Record<string, string>>;

function kind(type: string, more: Labels = {}): ToldSeries['labels'] {
  return {
    label_node_kubernetes_io_instance_type: type,
    label_topology_kubernetes_io_region: 'us-east-1',
    ...more,
  };
}

interface Node {
  /** Labels of kube_node_labels; absent: no such series. */
  readonly labels?: Labels;
  /** Size in kube_node_status_capacity: cores and GiB. */
  readonly size?: readonly [cpuCores: number, ramGiB: number];
  /** Prices of price series: CPU and RAM. */
  readonly usd?: readonly [cpu: number, ramGiB: number];
  /** Which a core, a GiB and a GPU cost without discounts; and what discounts leave. */
  readonly expected: readonly [cpu: number, ramGiB: number, gpu: number];
  readonly isSpot?: boolean;
}

const NODES: Readonly<Record<string, Node>> = {
  series: { labels: kind('m.large'), usd: [0.04, 0.005], expected: [0.04, 0.005, BOOK.gpu] },
  typed: { labels: kind('m.large'), expected: [BOOK.cpu * RATIO, BOOK.ram * RATIO, BOOK.gpu] },
  gpus: {
    labels: kind('g.large'),
    expected: [BOOK.cpu * GPU_RATIO, BOOK.ram * GPU_RATIO, BOOK.gpu * GPU_RATIO],
  },
  spot: {
    labels: kind('m.large', { label_karpenter_sh_capacity_type: 'spot' }),
    expected: [BOOK.cpu * SPOT_RATIO, BOOK.ram * SPOT_RATIO, BOOK.gpu],
    isSpot: true,
  },
  sized: {
    labels: kind('m.large'),
    size: [1.5, 7],
    expected: [BOOK.cpu * SIZED_RATIO, BOOK.ram * SIZED_RATIO, BOOK.gpu],
  },
  unknown: { labels: kind('x.large'), expected: [BOOK.cpu, BOOK.ram, BOOK.gpu] },
  listed: {
    labels: kind('t3.medium'),
    expected: [LIST.cpu * LIST_RATIO, LIST.ram * LIST_RATIO, BOOK.gpu],
  },
  unlabelled: { expected: [BOOK.cpu, BOOK.ram, BOOK.gpu] },
};

/** A pod a node, of one core, one GiB and one GPU, all the time. */
function fleet(): ToldSeries[] {
  return Object.entries(NODES).flatMap(([node, { labels, size, usd }]) => {
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
    return [
      told('kube_pod_info', { ...pod, node }, SCRAPED),
      request('cpu', 1),
      request('memory', GIB),
      request('nvidia_com_gpu', 1),
      ...(labels ? [told('kube_node_labels', { node, ...labels }, SCRAPED)] : []),
      ...(size ? [capacity('cpu', size[0]), capacity('memory', size[1] * GIB)] : []),
      ...(usd
        ? [
            told('node_cpu_hourly_cost', { node }, SCRAPED, usd[0]),
            told('node_ram_hourly_cost', { node }, SCRAPED, usd[1]),
          ]
        : []),
    ];
  });
}

const COUNTED =
  'nodes of 2 types with no list price (of no known type (1), us-east-1 x.large (1)): 2; ' +
  'they cost what cores and GiB cost in their region, or the price book';
const COUNTED_WITHOUT_LIST =
  '3 nodes have neither price series nor a type in --node-types: they cost the default book';

describe(
  'nodes are priced by series, type or book',
  { skip: skipWithout('prometheus', 'promtool') },
  () => {
    let prometheus: Prometheus;
    let folder = '';
    let types = '';

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'prorata-node-types-'));
      types = join(folder, 'types.csv');
      await writeFile(types, `\ufeff${FILE.join('\r\n')}\r\n`);
      const file = join(folder, 'fleet.om');
      await writeSeries(file, fleet());
      prometheus = await startPrometheus({ blocksFrom: [file] });
    });
    after(async () => {
      await prometheus.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const ask = async (flags: readonly string[], parameters = '&aggregate=node') => {
      const server = await startOwnServer([`--metrics-url=${prometheus.url}`, ...flags]);
      try {
        const { status, text } = await server.compute(
          `window=${WINDOW}&resolution=exact${parameters}`,
        );
        assert.equal(status, 200, text);
        return JSON.parse(text) as {
          readonly data: readonly [Readonly<Record<string, Readonly<Record<string, number>>>>];
          readonly warnings?: readonly string[];
        };
      } finally {
        await server.stop();
      }
    };

    const CASES: readonly (readonly [flags: readonly string[], left: number])[] = [
      [[], 1],
      [['--discount=20%', '--negotiated-discount=0.5'], 0.4],
    ];
    for (const [flags, left] of CASES)
      test(`to 1e-9, with ${flags.join(' ') || 'no discount'}`, async () => {
        const {
          data: [rows],
          warnings = [],
        } = await ask([`--node-types=${types}`, ...flags]);
        for (const [node, { expected, isSpot = false }] of Object.entries(NODES)) {
          const part = isSpot ? 1 : left;
          const [cpu, ram, gpu] = expected;
          for (const [field, usd] of [
            ['cpuCost', cpu * part],
            ['ramCost', ram * part],
            ['gpuCost', gpu],
          ] as const) {
            const cost = rows[node]?.[field] ?? NaN;
            assert.ok(Math.abs(cost - usd * HOURS) <= 1e-9 * cost, `${node} ${field}: ${cost}`);
          }
        }
        assert.ok(warnings.includes(COUNTED), warnings.join('\n'));
      });

    test('so that a node, its idle part included, costs what its type costs', async () => {
      const split = '&aggregate=cluster&idle=true&splitIdle=true&idleByNode=true';
      const { data } = await ask([`--node-types=${types}`], split);
      const idle = data[0]['default-cluster/sized/__idle__'] ?? {};
      const allocated = (BOOK.cpu + BOOK.ram) * SIZED_RATIO * HOURS;
      const usd = (idle['cpuCost'] ?? NaN) + (idle['ramCost'] ?? NaN) + allocated;
      assert.ok(Math.abs(usd - 0.1 * HOURS) <= 1e-9, `${usd} USD`);
    });

    test('and by the prices that the data folder has in place of the list', async () => {
      const dataDir = join(folder, 'data');
      const type = { provider: 'AWS', region: 'us-east-1', cpuCores: 2, ramGiB: 4, gpus: 0 };
      const price = { spotUsdPerHour: NaN, isSharedCore: true, architecture: 'x86' } as const;
      const newer = { ...type, ...price, name: 't3.medium', usdPerHour: 0.0832 };
      await writeNewerPrices(dataDir, { collected: '2027-01-01', types: [newer] });
      const {
        data: [rows],
      } = await ask([`--data-dir=${dataDir}`]);
      useNewerPrices(undefined);
      const [cost = NaN, usd] = [rows['listed']?.['cpuCost'], 2 * LIST.cpu * LIST_RATIO];
      assert.ok(Math.abs(cost - usd * HOURS) <= 1e-9 * cost, `${cost}`);
    });

    test('and by the book where list prices are off', async () => {
      const {
        data: [rows],
        warnings = [],
      } = await ask([`--node-types=${types}`, '--list-prices=false']);
      const cost = rows['listed']?.['cpuCost'] ?? NaN;
      assert.ok(Math.abs(cost - BOOK.cpu * HOURS) <= 1e-9, `${cost}`);
      assert.ok(warnings.includes(COUNTED_WITHOUT_LIST), warnings.join('\n'));
    });

    test('and by the book without a catalogue, of which nothing is said', async () => {
      const {
        data: [rows],
        warnings = [],
      } = await ask(['--list-prices=false']);
      const costs = Object.fromEntries(
        Object.entries(rows).map(([node, row]) => [node, row['cpuCost']]),
      );
      for (const node of ['typed', 'gpus', 'unknown']) {
        assert.ok(Math.abs((costs[node] ?? NaN) - BOOK.cpu * HOURS) <= 1e-9, node);
      }
      assert.ok(Math.abs((costs['spot'] ?? NaN) - BOOK.spotCpu * HOURS) <= 1e-9, 'spot');
      assert.ok(!warnings.some((text) => text.includes('--node-types')), warnings.join('\n'));
    });
  },
);

const BROKEN: readonly (readonly [what: string, bytes: Uint8Array | undefined, message: RegExp])[] =
  [
    ['that is not there', undefined, /^--node-types: cannot read \S+ as UTF-8: ENOENT/],
    ['of other bytes', Uint8Array.of(0x6e, 0xff), /^--node-types: cannot read \S+ as UTF-8/],
    [
      'of a broken row',
      Buffer.from(`${FILE[0]}\nAWS,r,m,two,8,0,1,\n`),
      /types\.csv, row 2, column vCPUs: 'two'/,
    ],
  ];

describe('prorata does not start with a file of node types', () => {
  for (const [what, bytes, message] of BROKEN)
    test(what, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'prorata-broken-'));
      const path = join(folder, 'types.csv');
      if (bytes) await writeFile(path, bytes);
      await assert.rejects(startOwnServer([`--node-types=${path}`]), { name: 'Fault', message });
      await rm(folder, { recursive: true, force: true });
    });
});

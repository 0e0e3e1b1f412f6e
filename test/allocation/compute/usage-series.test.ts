/** Series of usage that mislead: of dead containers, of pods on the host network, of no containers at all. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  DAY_WINDOW,
  nodeSeries,
  podLabels,
  podSeries,
  shown,
  WORLD_NOW,
} from '../../support/fleets/worlds.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import type { TestSeries } from '../../support/stores/samples-encoding.ts';
import { startScriptedStore, type ScriptedStore } from '../../support/stores/scripted-store.ts';
import { remoteReads } from '../../support/stores/series-store.ts';

let held: readonly TestSeries[] = [];
let store: ScriptedStore;
let server: BundleServer;

before(async () => {
  store = await startScriptedStore(remoteReads(() => held));
  server = await startBundleServer([
    `--metrics-url=${store.url}`,
    `--now=${WORLD_NOW}`,
    '--workers=2',
  ]);
});
after(async () => {
  await server.stop();
  await store.stop();
});

type Row = Readonly<
  Record<
    | 'cpuCoreHours'
    | 'cpuCoreUsageAverage'
    | 'networkTransferBytes'
    | 'networkReceiveBytes'
    | 'networkCost',
    number
  >
>;

async function ask(
  aggregate: string,
): Promise<{ rows: Readonly<Record<string, Row>>; warnings: string }> {
  const query = `window=${DAY_WINDOW}&resolution=exact&aggregate=${aggregate}`;
  const answer = await server.compute(query);
  assert.equal(answer.status, 200, answer.text);
  const body = JSON.parse(answer.text) as {
    readonly data: readonly Readonly<Record<string, Row>>[];
    readonly warnings?: readonly string[];
  };
  return { rows: body.data[0] ?? {}, warnings: (body.warnings ?? []).join('\n') };
}

const SCRAPE_SECONDS = 30;

/** What a dead container's counter shows: all that it used, or what the last scrape before its end saw. */
type Shown = 'all of it' | 'the last scrape';

/** Half a core, with a restart each so many minutes; the dead container is shown so much longer. */
function restarting(everyMinutes: number, lingerMinutes: number, last: Shown): TestSeries[] {
  const runs = (26 * 60) / everyMinutes;
  const missed = last === 'all of it' ? 0 : SCRAPE_SECONDS / 3600;
  return Array.from({ length: runs }, (_, run) => {
    const from = -1 + (run * everyMinutes) / 60;
    const deadAt = from + everyMinutes / 60;
    const of = { namespace: 'shop', pod: 'web-1', container: 'app', node: 'n1', id: `/k/${run}` };
    return shown(
      'container_cpu_usage_seconds_total',
      of,
      (hour) => Math.round((Math.min(hour, deadAt - missed) - from) * 3600) / 2,
      { everySeconds: SCRAPE_SECONDS, hours: [from, deadAt + lingerMinutes / 60] },
    );
  });
}

/** By how much the counters of a day rise, in core-hours. */
function risen(everyMinutes: number, last: Shown): number {
  const missed = last === 'all of it' ? 0 : SCRAPE_SECONDS / 60;
  return (12 * (everyMinutes - missed)) / everyMinutes;
}

for (const [everyMinutes, lingerMinutes] of [
  [10, 2],
  [60, 5],
  [30, 3],
] as const)
  for (const last of ['all of it', 'the last scrape'] as const)
    for (const order of ['older first', 'newer first'])
      test(`a dead container shows ${last} for ${lingerMinutes} minutes beside its successor, ${order}`, async () => {
        const usage = restarting(everyMinutes, lingerMinutes, last);
        const pod = podSeries({ containers: [{}] }).filter(({ labels }) =>
          labels.every(([, value]) => !value.startsWith('container_cpu')),
        );
        held = [
          ...nodeSeries('n1'),
          ...pod,
          ...(order === 'older first' ? usage : usage.toReversed()),
        ];
        const { rows } = await ask('container');
        const { cpuCoreHours = NaN, cpuCoreUsageAverage = NaN } = rows['app'] ?? {};
        const right = risen(everyMinutes, last);
        near(cpuCoreHours, right, 'core-hours');
        near(24 * cpuCoreUsageAverage, right, 'core-hours used');
      });

function near(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual - expected) < 0.02, `${actual} ${what}, not ${expected}`);
}

test('traffic of pods on the host network counts once a node', async () => {
  const GB = 1e9;
  const traffic = (pod: string, node: string, gb: number): TestSeries[] =>
    ['receive', 'transmit'].map((way) =>
      shown(
        `container_network_${way}_bytes_total`,
        { namespace: 'shop', pod, node, interface: 'eth0' },
        (hour) => ((hour + 4) / 24) * gb * GB,
      ),
    );
  const onHost = ['hp-0', 'hp-1', 'hp-2'].flatMap((name) => [
    ...podSeries({ name, isOnHostNetwork: true, containers: [{ cores: 0.1 }] }),
    ...traffic(name, 'n1', 100),
  ]);
  const other = [
    ...podSeries({ name: 'hp-9', node: 'n2', isOnHostNetwork: true, containers: [{ cores: 0.1 }] }),
    ...traffic('hp-9', 'n2', 10),
    ...podSeries({ name: 'own', containers: [{ cores: 0.1 }] }),
    ...traffic('own', 'n1', 1),
  ];
  held = [...nodeSeries('n1'), ...nodeSeries('n2'), ...onHost, ...other];
  const { rows } = await ask('namespace');
  for (const field of ['networkTransferBytes', 'networkReceiveBytes'] as const) {
    const gb = (rows['shop']?.[field] ?? NaN) / GB;
    assert.ok(Math.abs(gb - 111) < 0.01, `${field}: ${gb} GB, not 111`);
  }
});

/** How one job shows the exporter of egress: labels of the scrape, and what it renames. */
interface Job {
  readonly job: string;
  readonly service?: string;
  /** The exporter's own label `service` is kept under this name. */
  readonly ownService: 'service' | 'exported_service';
  /** `honor_labels`: the exporter's own label counts where it has one. */
  readonly honorsLabels?: boolean;
  readonly hours?: readonly [from: number, to: number];
}

const PLAIN: Job = { job: 'exporters', ownService: 'service' };
const OF_SERVICE: Job = { job: 'network-costs', service: 'network-costs', ownService: 'exported_service' }; // prettier-ignore
/** GiB of a day, by cloud service; '' is traffic to anywhere else. */
const SENT: readonly (readonly [service: string, gib: number])[] = [
  ['', 10],
  ['s3', 4],
  ['ecr', 1],
];

function egressOf({
  job,
  service,
  ownService,
  honorsLabels = false,
  hours = [-4, 28],
}: Job): TestSeries[] {
  return SENT.map(([own, gib]) => {
    const target = { namespace: 'shop', pod_name: 'web-1', internet: 'true', same_region: 'false', same_zone: 'false' }; // prettier-ignore
    const added = service === undefined ? {} : { service };
    const kept = own === '' ? {} : { [honorsLabels ? 'service' : ownService]: own };
    return shown(
      'kubecost_pod_network_egress_bytes_total',
      { ...target, job, ...added, ...kept },
      (hour) => ((hour + 4) / 24) * gib * 2 ** 30,
      { hours },
    );
  });
}

for (const [what, jobs, gib] of [
  ['one job', [PLAIN], 15],
  ['one job that adds its service', [OF_SERVICE], 15],
  ['two jobs without services', [PLAIN, { ...PLAIN, job: 'other' }], 15],
  ['two jobs, one of which adds its service', [PLAIN, OF_SERVICE], 15],
  [
    'a job that adds its service where the exporter has none',
    [PLAIN, { ...OF_SERVICE, honorsLabels: true }],
    15,
  ],
  ['three jobs', [PLAIN, OF_SERVICE, { ...OF_SERVICE, job: 'third', service: 'third' }], 15],
  [
    'a job that takes the place of another at noon',
    [
      { ...PLAIN, hours: [-4, 12] },
      { ...OF_SERVICE, hours: [12, 28] },
    ],
    15,
  ],
  ['a job that begins at noon beside another', [PLAIN, { ...OF_SERVICE, hours: [12, 28] }], 15],
  ['a job that ends at noon beside another', [{ ...PLAIN, hours: [-4, 12] }, OF_SERVICE], 15],
] as readonly (readonly [string, readonly Job[], number])[])
  // prettier-ignore
  for (const order of ['job by job', 'the last job first', 'mixed', 'mixed in reverse'])
    test(`egress of one exporter counts once: ${what}, ${order}`, async () => {
      const byJob = jobs.map(egressOf);
      const mixed = SENT.flatMap((_, i) => byJob.map((own) => own[i] ?? []).flat());
      const series =
        order === 'job by job'
          ? byJob.flat()
          : order === 'the last job first'
            ? byJob.toReversed().flat()
            : order === 'mixed'
              ? mixed
              : mixed.toReversed();
      held = [
        ...nodeSeries('n1'),
        ...podSeries({ containers: [{ cores: 0.1 }] }),
        shown('kubecost_network_internet_egress_cost', {}, 0.1),
        ...series,
      ];
      const { rows } = await ask('pod');
      near((rows['web-1']?.networkCost ?? NaN) / 0.1, gib, 'GiB');
    });

test('nodes without usage of containers beside others that have it are named', async () => {
  const api = podSeries({ name: 'api-1', node: 'n2', containers: [{ cores: 0.1 }] });
  const web = podSeries({ containers: [{ cores: 0.1 }] }).filter(({ labels }) =>
    labels.every(([, value]) => !value.startsWith('container_')),
  );
  const cgroup = { ...podLabels('web-1'), node: 'n1', id: '/kubepods/pod1' };
  held = [
    ...nodeSeries('n1'),
    ...nodeSeries('n2'),
    ...api,
    ...web,
    shown('container_cpu_usage_seconds_total', cgroup, (hour) => (hour + 4) * 7200),
  ];
  assert.match((await ask('pod')).warnings, /nodes without usage of containers.*\(.*\/n1\): 1;/);
});

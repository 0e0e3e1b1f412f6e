/**
 * Requests that are not a container's own: sidecars, overhead, requests of the pod as a whole, huge pages,
 * resizes in place. What kube-scheduler reserves is what is allocated.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  DAY_MS,
  DAY_WINDOW,
  nodeSeries,
  podLabels,
  podSeries,
  shown,
  WORLD_NOW,
  type Value,
} from '../../support/fleets/worlds.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import type { TestSeries } from '../../support/stores/samples-encoding.ts';
import { startScriptedStore, type ScriptedStore } from '../../support/stores/scripted-store.ts';
import { remoteReads } from '../../support/stores/series-store.ts';

const GIB = 2 ** 30;
const POD = podLabels('web-1');
const { uid: _uid, ...NO_UID } = POD;

function overhead(cores: number, gib: number, pod = POD): TestSeries[] {
  return [
    shown('kube_pod_overhead_cpu_cores', pod, cores),
    shown('kube_pod_overhead_memory_bytes', pod, gib * GIB),
  ];
}

function whole(metric: string, cores: Value, gib: number, labels = POD): TestSeries[] {
  const of = { ...labels, node: 'n1' };
  return [
    shown(metric, { ...of, resource: 'cpu', unit: 'core' }, cores),
    shown(metric, { ...of, resource: 'memory', unit: 'byte' }, gib * GIB),
  ];
}

const scheduled = (cores: Value, gib: number): TestSeries[] =>
  whole('kube_pod_resource_request', cores, gib, {
    ...NO_UID, priority: '0', scheduler: 'default-scheduler',
  }); // prettier-ignore

function granted(cores: Value): TestSeries {
  const labels = { ...POD, container: 'app', node: 'n1', resource: 'cpu', unit: 'core' };
  return shown('kube_pod_container_status_resource_requests', labels, cores);
}

const APP = { cores: 1, gib: 2 };
const PROXY = { name: 'proxy', cores: 0.5, gib: 1 };

/** @param startHour of the app @param running whether the init container runs */
function initRunning(startHour: number, running: (hour: number) => number): TestSeries[] {
  const startedSeconds = DAY_MS / 1000 + startHour * 3600;
  return [
    ...podSeries({ containers: [APP, { ...PROXY, init: 'ends' }] }),
    shown('kube_pod_init_container_status_running', { ...POD, container: 'proxy' }, running),
    shown('kube_pod_container_state_started', { ...POD, container: 'app' }, (hour) =>
      hour < startHour ? undefined : startedSeconds,
    ),
  ];
}

interface Case {
  readonly what: string;
  readonly series: readonly TestSeries[];
  /** Core-hours and GiB-hours of the pod's containers. */
  readonly rows: Readonly<Record<string, readonly [cores: number, gib: number]>>;
}

const CASES: readonly Case[] = [
  {
    what: 'a native sidecar has a row of its own',
    series: podSeries({ containers: [APP, { ...PROXY, init: 'sidecar' }] }),
    rows: { app: [24, 48], proxy: [12, 24] },
  },
  {
    what: 'a native sidecar without uids',
    series: podSeries({ hasNoUid: true, containers: [APP, { ...PROXY, init: 'sidecar' }] }),
    rows: { app: [24, 48], proxy: [12, 24] },
  },
  {
    what: 'a sidecar that runs beside its pod, by a kube-state-metrics without restart policies',
    series: initRunning(-4, () => 1),
    rows: { app: [24, 48], proxy: [12, 24] },
  },
  {
    what: 'an init container that ended before the others started',
    series: initRunning(2, (hour) => Number(hour < 2)),
    rows: { app: [24, 48] },
  },
  {
    what: 'an init container that is smaller than the others reserves nothing more',
    series: podSeries({ containers: [APP, { ...PROXY, init: 'ends' }] }),
    rows: { app: [24, 48] },
  },
  {
    what: 'an init container that is larger than the others reserves the node',
    series: podSeries({
      containers: [APP, PROXY, { name: 'init', cores: 3, gib: 1, init: 'ends' }],
    }),
    rows: { app: [48, 48], proxy: [24, 24] },
  },
  {
    what: 'a large init container starts beside the sidecars',
    series: podSeries({
      containers: [
        APP,
        { ...PROXY, init: 'sidecar' },
        { name: 'init', cores: 2.5, gib: 1, init: 'ends' },
      ],
    }),
    rows: { app: [48, 48], proxy: [24, 24] },
  },
  {
    what: 'an init container and the sidecars are smaller than all others',
    series: podSeries({
      containers: [
        APP,
        { ...PROXY, init: 'sidecar' },
        { name: 'init', cores: 0.75, gib: 1.5, init: 'ends' },
      ],
    }),
    rows: { app: [24, 48], proxy: [12, 24] },
  },
  {
    what: 'of two large init containers the larger counts',
    series: podSeries({
      containers: [
        APP,
        { name: 'one', cores: 3, gib: 1, init: 'ends' },
        { name: 'two', cores: 2, gib: 4, init: 'ends' },
      ],
    }),
    rows: { app: [72, 96] },
  },
  {
    what: 'the overhead of a RuntimeClass',
    series: [...podSeries({ containers: [APP] }), ...overhead(0.25, 0.5)],
    rows: { app: [30, 60] },
  },
  {
    what: 'overhead is divided in proportion to requests, and names no uid',
    series: [...podSeries({ containers: [APP, PROXY] }), ...overhead(0.75, 1.5, NO_UID)],
    rows: { app: [36, 72], proxy: [18, 36] },
  },
  {
    what: 'overhead beside usage above the request: the container uses it up',
    series: [...podSeries({ containers: [{ ...APP, usedCores: 2 }] }), ...overhead(0.25, 0.5)],
    rows: { app: [48, 60] },
  },
  {
    what: 'the effective request of kube-scheduler, where containers have none',
    series: [...podSeries({ containers: [{}, { name: 'log' }] }), ...scheduled(4, 8)],
    rows: { app: [48, 96], log: [48, 96] },
  },
  {
    what: 'the effective request replaces containers, sidecars and overhead, and is never added',
    series: [
      ...podSeries({ containers: [APP, { ...PROXY, init: 'sidecar' }] }),
      ...overhead(0.25, 0.5),
      ...scheduled(1.75, 3.5),
    ],
    rows: { app: [28, 56], proxy: [14, 28] },
  },
  {
    what: 'the effective request is told by two schedulers',
    series: [
      ...podSeries({ containers: [{}] }),
      ...scheduled(4, 8),
      ...whole('kube_pod_resource_request', 4, 8, { ...NO_UID, instance: 'b', scheduler: 'x' }),
    ],
    rows: { app: [96, 192] },
  },
  {
    what: 'one container uses more than its share, but the pod less than it reserves',
    series: [
      ...podSeries({ containers: [{ usedCores: 3 }, { name: 'log', usedCores: 0.1 }] }),
      ...scheduled(4, 8),
    ],
    rows: { app: [48, 96], log: [48, 96] },
  },
  {
    what: 'a container that uses more than it reserves after noon pays for that, though it left as much before',
    series: [
      ...podSeries({ containers: [{ ...APP, usedCores: [0.25, 3.25] }] }),
      ...overhead(0.25, 0.5),
    ],
    rows: { app: [54, 60] },
  },
  {
    what: 'containers that use what the others leave by turns',
    series: [
      ...podSeries({ containers: [{ usedCores: [0.1, 3] }, { name: 'log', usedCores: [3, 0.1] }] }),
      ...scheduled(4, 8),
    ],
    rows: { app: [48, 96], log: [48, 96] },
  },
  {
    what: 'a pod that uses more than it reserves',
    series: [
      ...podSeries({ containers: [{ usedCores: 5 }, { name: 'log', usedCores: 1 }] }),
      ...scheduled(4, 8),
    ],
    rows: { app: [96, 96], log: [48, 96] },
  },
  {
    what: 'the request of the pod by its spec, and overhead beside it',
    series: [
      ...podSeries({ containers: [APP] }),
      ...whole('kube_pod_spec_resource_requests', 4, 8),
      ...overhead(0.25, 0.5),
    ],
    rows: { app: [102, 204] },
  },
  {
    what: 'a request of the pod that changes at noon',
    series: [...podSeries({ containers: [APP] }), ...scheduled((hour) => (hour < 12 ? 2 : 4), 2)],
    rows: { app: [72 - 2 / 60, 48] },
  },
  {
    what: 'huge pages are memory',
    series: [
      ...podSeries({ containers: [APP] }),
      shown(
        'kube_pod_container_resource_requests',
        { ...POD, container: 'app', node: 'n1', resource: 'hugepages_2Mi', unit: 'byte' },
        GIB,
      ),
    ],
    rows: { app: [24, 72] },
  },
  {
    what: 'a resize in place that waits: the larger of wanted and granted',
    series: [
      ...podSeries({ containers: [{ ...APP, cores: (hour) => (hour < 12 ? 1 : 2) }] }),
      granted((hour) => (hour < 18 ? 1 : 2)),
    ],
    rows: { app: [36, 48] },
  },
  {
    what: 'a resize to less that waits',
    series: [
      ...podSeries({ containers: [{ ...APP, cores: (hour) => (hour < 12 ? 2 : 1) }] }),
      granted((hour) => (hour < 18 ? 2 : 1)),
    ],
    rows: { app: [42, 48] },
  },
  {
    what: 'a resize to more than the node has is never granted',
    series: [
      ...podSeries({ containers: [{ ...APP, cores: (hour) => (hour < 12 ? 1 : 12) }] }),
      granted(1),
    ],
    rows: { app: [24, 48] },
  },
];

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

type Row = Readonly<Record<'cpuCoreHours' | 'ramByteHours', number>>;

for (const { what, series, rows } of CASES)
  for (const resolution of ['exact', '1m', '1h'])
    test(`${what}, ${resolution}`, async () => {
      held = [...nodeSeries('n1'), ...series];
      const query = `window=${DAY_WINDOW}&resolution=${resolution}&aggregate=container`;
      const answer = await server.compute(query);
      assert.equal(answer.status, 200, answer.text);
      const [set = {}] = (
        JSON.parse(answer.text) as { data: readonly Readonly<Record<string, Row>>[] }
      ).data;
      assert.deepEqual(Object.keys(set).sort(), Object.keys(rows).sort());
      for (const [name, [cores, gib]] of Object.entries(rows)) {
        const { cpuCoreHours = NaN, ramByteHours = NaN } = set[name] ?? {};
        assert.ok(
          Math.abs(cpuCoreHours - cores) <= 1e-3 * cores + 0.04,
          `${name}: ${cpuCoreHours} core-hours, not ${cores}`,
        );
        assert.ok(
          Math.abs(ramByteHours / GIB - gib) <= 1e-3 * gib,
          `${name}: ${ramByteHours / GIB} GiB-hours, not ${gib}`,
        );
      }
    });

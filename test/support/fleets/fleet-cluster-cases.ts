/** Fleets as clusters make them: evictions, drains, storms of jobs, shards and upgrades of exporters. */
import {
  always,
  bursting,
  CADVISOR,
  container,
  HOUR,
  KUBE,
  MINUTE,
  NODE_A,
  NODE_B,
  NOON,
  pod,
  scrapeMs,
  SECOND,
  SHORT,
  wavy,
  type FleetRow,
} from './fleet-parts.ts';
import { GIB, type FleetPod } from './fleet.ts';

const HALF_PAST = NOON + 30 * MINUTE;

/** One after the other, of 70 s to 9 min each. */
function jobs(count: number): FleetPod[] {
  return Array.from({ length: count }, (_, i) => {
    const startMs = NOON - 110 * MINUTE + i * 97 * SECOND;
    const endMs = startMs + 70 * SECOND + ((i * 37) % 470) * SECOND;
    return pod(`job-${i}`, { startMs, endMs, lingerMs: 2 * MINUTE + ((i * 13) % 600) * SECOND });
  });
}

/** Replicas that come and go with the load. */
function replicas(count: number): FleetPod[] {
  return Array.from({ length: count }, (_, i) =>
    pod(`web-${i}`, {
      startMs: NOON - 100 * MINUTE + i * 4 * MINUTE + 3 * SECOND,
      endMs: NOON + 90 * MINUTE - i * 5 * MINUTE + 11 * SECOND,
      containers: [i % 2 === 0 ? bursting('app') : container('app')],
    }),
  );
}

export const CLUSTER_ROWS: readonly FleetRow[] = [
  {
    name: 'a pod that was evicted costs nothing while its object stays',
    cluster: 'evicted',
    pods: [
      pod('evicted', { ...SHORT, ends: 'evicted', lingerMs: 2 * HOUR }),
      pod('beside', { containers: [bursting('app')] }),
    ],
    changes: { status: 'phases' },
    toleranceMs: 30 * SECOND,
  },
  {
    name: 'a pod that was preempted ends between its last sample and its deadline',
    cluster: 'preempted',
    pods: [
      pod('preempted', {
        ...SHORT,
        ends: 'deleted',
        deletion: { fromMs: SHORT.endMs - 20 * SECOND, atMs: SHORT.endMs + 10 * SECOND },
      }),
      pod('preemptor', { startMs: SHORT.endMs, containers: [bursting('app')] }),
    ],
    toleranceMs: 30 * SECOND,
  },
  {
    name: 'pods of a drained node go on elsewhere, at the price there',
    cluster: 'drained',
    pods: ['a', 'b', 'c'].flatMap((name, i) => [
      pod(`app-${name}`, {
        uid: `old-${name}`,
        endMs: NOON + i * 40 * SECOND + 7 * SECOND,
        lingerMs: 45 * SECOND,
      }),
      pod(`app-${name}`, {
        uid: `new-${name}`,
        node: 'node-b',
        startMs: NOON + i * 40 * SECOND + 95 * SECOND,
        containers: [bursting('app')],
      }),
    ]),
  },
  {
    name: 'a pod ends with its spot node, though its object stays for hours',
    cluster: 'spot-loss',
    pods: [
      // cAdvisor is gone with the node; kube-state-metrics tells of the pod as running.
      pod('lost', {
        endMs: HALF_PAST,
        ends: 'evicted',
        lingerMs: 2 * HOUR,
      }),
      pod('safe', { node: 'node-b' }),
    ],
    changes: { nodes: [{ ...NODE_A, goneMs: HALF_PAST }, NODE_B] },
    toleranceMs: MINUTE,
  },
  {
    name: 'each of a storm of jobs costs its life',
    cluster: 'jobs',
    pods: jobs(120),
  },
  {
    name: 'replicas that come and go cost what they were there',
    cluster: 'replicas',
    pods: replicas(20),
  },
  {
    name: 'a sidecar that outlives the job holds all requests until it ends',
    cluster: 'sidecar',
    pods: [
      pod('job', {
        ...SHORT,
        containers: [
          bursting('main', { finishedMs: scrapeMs(CADVISOR, 40) }),
          container('proxy', { cpuUsageCores: always(0.7) }),
        ],
      }),
    ],
    changes: { status: 'phases' },
  },
  {
    name: 'a container that is added while the pod runs, without requests, costs what it uses',
    cluster: 'ephemeral',
    pods: [
      pod('debugged', {
        containers: [
          container('app'),
          {
            name: 'debugger',
            startMs: NOON - 20 * MINUTE - 3 * SECOND,
            cpuUsageCores: always(0.9),
            ramUsageBytes: always(GIB / 2),
          },
        ],
      }),
    ],
  },
  {
    name: 'requests that are resized while the pod runs count from their scrape on',
    cluster: 'resized',
    pods: [
      pod('resized', {
        containers: [
          container('app', {
            ...wavy(CADVISOR),
            cpuCores: [
              [0, 0.5],
              [NOON - 40 * MINUTE, 2],
              [NOON, 0.25],
              [NOON + 30 * MINUTE, 1.5],
            ],
            ramBytes: [
              [0, GIB],
              [NOON - 10 * MINUTE, 4 * GIB],
            ],
          }),
        ],
      }),
    ],
  },
  {
    name: 'shards of kube-state-metrics together tell of all pods',
    cluster: 'shards',
    pods: [
      pod('one'),
      pod('two', SHORT),
      pod('three', { containers: [bursting('app')] }),
      pod('four'),
    ],
    changes: {
      kubeStateMetrics: [
        { ...KUBE, shard: [0, 2] },
        { ...KUBE, phaseMs: 11 * SECOND, shard: [1, 2] },
      ],
    },
  },
  {
    name: 'an upgrade of kube-state-metrics changes its instance and nothing else',
    cluster: 'upgrade',
    pods: [pod('one'), pod('two', SHORT), pod('three', { containers: [bursting('app')] })],
    changes: {
      kubeStateMetrics: [
        { ...KUBE, gaps: [[NOON, NOON + 5 * HOUR]] },
        { ...KUBE, gaps: [[NOON - 5 * HOUR, NOON + 40 * SECOND]] },
      ],
    },
  },
  {
    name: 'an allowlist without labels and owners changes no cost',
    cluster: 'allowlist',
    pods: [pod('one'), pod('two', { ...SHORT, containers: [bursting('app')] })],
    changes: { lacks: ['kube_pod_labels', 'kube_pod_owner', 'kube_pod_container_state_started'] },
  },
  {
    name: 'pods whose start is not told begin with their first sample',
    cluster: 'no-starts',
    pods: [pod('one'), pod('two', { ...SHORT, ends: 'deleted' })],
    changes: { lacks: ['kube_pod_start_time', 'kube_pod_container_state_started'] },
    toleranceMs: MINUTE,
  },
  {
    name: 'pods whose completion is not told end by their phase',
    cluster: 'no-completions',
    pods: [pod('one', { ...SHORT, lingerMs: HOUR }), pod('two')],
    changes: { lacks: ['kube_pod_completion_time'], status: 'phases' },
    toleranceMs: 30 * SECOND,
  },
  {
    name: 'a container that runs out of memory every few minutes goes on under new series',
    cluster: 'oom',
    pods: [
      pod('oom', {
        containers: [
          bursting('app', {
            restartsMs: [-80, -62, -41, -20, 0, 19, 43, 66, 90].map((n) => scrapeMs(CADVISOR, n)),
          }),
        ],
      }),
    ],
  },
  {
    name: 'counters of all containers that begin again at once go on from there',
    cluster: 'kubelet-restart',
    pods: ['one', 'two', 'three'].map((name) =>
      pod(name, { containers: [bursting('app', { resetsMs: [scrapeMs(CADVISOR, 7)] })] }),
    ),
  },
  {
    name: 'counters that dip for a scrape add nothing',
    cluster: 'dips',
    pods: [
      pod('dipping', {
        containers: [
          bursting('app', { dipsMs: [-100, -30, 2, 50, 51].map((n) => scrapeMs(CADVISOR, n)) }),
        ],
      }),
      pod('dips last', {
        containers: [
          container('app'),
          container('warm-up', {
            cpuUsageCores: always(1.7),
            finishedMs: scrapeMs(CADVISOR, 37),
            dipsMs: [scrapeMs(CADVISOR, 37)],
          }),
        ],
      }),
    ],
  },
  {
    name: 'exporters scraped at intervals of their own are read alike',
    cluster: 'intervals',
    pods: [pod('one'), pod('two', { ...SHORT, containers: [bursting('app')] })],
    changes: {
      kubeStateMetrics: [{ intervalMs: MINUTE, phaseMs: 3 * SECOND }],
      cadvisor: { intervalMs: 15 * SECOND, phaseMs: 4 * SECOND },
    },
  },
  {
    name: 'a container without usage costs its requests',
    cluster: 'unused',
    pods: [
      pod('idle', {
        containers: [container('app', { cpuUsageCores: always(0), ramUsageBytes: always(0) })],
      }),
    ],
  },
  {
    name: 'pods with GPUs of two nodes cost each their own price',
    cluster: 'gpus',
    pods: [
      pod('train', { ...SHORT, containers: [bursting('app', { gpus: 4 })] }),
      pod('serve', { node: 'node-b', containers: [container('app', { gpus: 1 })] }),
    ],
  },
  {
    name: 'a pod across a short gap of all scrapes is there throughout',
    cluster: 'hiccup',
    pods: [pod('one'), pod('two', { containers: [bursting('app')] })],
    changes: { kubeStateMetrics: [{ ...KUBE, gaps: [[NOON, NOON + 7 * MINUTE]] }] },
  },
  {
    name: 'a restarted pod of a StatefulSet keeps its name and no cost of the one before',
    cluster: 'stateful',
    pods: [0, 1, 2].map((i) =>
      pod('db-0', {
        uid: `db-${i}`,
        startMs: NOON - 90 * MINUTE + i * HOUR,
        endMs: NOON - 90 * MINUTE + i * HOUR + 57 * MINUTE,
        lingerMs: MINUTE,
        node: i === 1 ? 'node-b' : 'node-a',
        containers: [container('app', { cpuCores: always(1 + i) })],
      }),
    ),
  },
];

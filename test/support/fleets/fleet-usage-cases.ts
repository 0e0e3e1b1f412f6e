/** Fleets whose usage, requests, prices and scrapes change in all the ways there are. */
import {
  bestEffort,
  bursting,
  CADVISOR,
  container,
  HOUR,
  KUBE,
  MINUTE,
  NODE_B,
  NOON,
  pod,
  PRICES,
  scrapeMs,
  SECOND,
  SHORT,
  wavy,
  type FleetRow,
} from './fleet-parts.ts';
import { GIB, type Scrape, type Span } from './fleet.ts';

const GAP: Span = [NOON - HOUR, NOON + 2 * HOUR];
const JITTERY: Scrape = { intervalMs: 30 * SECOND, phaseMs: 7_300, jitterMs: 50 };

export const USAGE_ROWS: readonly FleetRow[] = [
  {
    name: 'a pod below its request costs its request',
    cluster: 'steady',
    pods: [pod('whole'), pod('inside', SHORT)],
  },
  {
    name: 'usage above the request counts while it lasts',
    cluster: 'bursts',
    pods: [
      pod('wavy', { containers: [container('app', wavy(CADVISOR))] }),
      pod('inside', { ...SHORT, containers: [container('app', wavy(CADVISOR))] }),
    ],
  },
  {
    name: 'usage above the request counts before the first sample and after the last',
    cluster: 'burst-for-life',
    pods: [
      pod('whole', { containers: [bursting('app')] }),
      pod('inside', { ...SHORT, containers: [bursting('app')] }),
    ],
  },
  {
    name: 'a restarted container counts on under its new series',
    cluster: 'restarts',
    pods: [
      pod('thrice', {
        containers: [
          bursting('app', { restartsMs: [-90, 1, 61].map((n) => scrapeMs(CADVISOR, n)) }),
        ],
      }),
    ],
  },
  {
    name: 'a restarted container counts on though its new counter is as high as the old',
    cluster: 'fast-restarts',
    pods: [
      pod('twice', {
        containers: [bursting('app', { restartsMs: [1, 2].map((n) => scrapeMs(CADVISOR, n)) })],
      }),
    ],
  },
  {
    name: 'a counter that falls begins again from zero',
    cluster: 'resets',
    pods: [
      pod('twice', {
        containers: [bursting('app', { resetsMs: [-90, 61].map((n) => scrapeMs(CADVISOR, n)) })],
      }),
    ],
  },
  {
    name: 'two replicas of kube-state-metrics count once',
    cluster: 'doubled',
    pods: [pod('whole'), pod('inside', { ...SHORT, containers: [container('app', { gpus: 1 })] })],
    changes: { kubeStateMetrics: [KUBE, KUBE] },
  },
  {
    name: 'two replicas of kube-state-metrics scraped at different times count once',
    cluster: 'doubled-shifted',
    pods: [pod('whole'), pod('inside', { ...SHORT, containers: [bursting('app', { gpus: 1 })] })],
    changes: { kubeStateMetrics: [KUBE, { ...KUBE, phaseMs: 13 * SECOND }] },
  },
  {
    name: 'scrapes off the grid and early or late change nothing',
    cluster: 'off-grid',
    pods: [
      pod('wavy', { containers: [container('app', wavy(JITTERY))] }),
      pod('inside', { ...SHORT, containers: [bursting('app')] }),
    ],
    changes: { kubeStateMetrics: [JITTERY], cadvisor: JITTERY, prices: JITTERY },
  },
  {
    name: 'a price that changes at noon applies from noon on',
    cluster: 'price-change',
    pods: [
      pod('whole', { containers: [container('app', { gpus: 2 })] }),
      pod('wavy', { containers: [container('app', wavy(CADVISOR))] }),
    ],
    changes: {
      nodes: [
        {
          name: 'node-a',
          prices: {
            cpuUsdPerCoreHour: [
              [0, 0.04],
              [NOON, 0.012],
            ],
            ramUsdPerGibHour: [
              [0, 0.005],
              [NOON, 0.0017],
            ],
            gpuUsdPerHour: [
              [0, 2.5],
              [NOON, 0.75],
            ],
          },
        },
      ],
    },
  },
  {
    name: 'a container without requests costs what it uses',
    cluster: 'best-effort',
    pods: [
      pod('wavy', { containers: [bestEffort(wavy(CADVISOR))] }),
      pod('inside', { ...SHORT, containers: [bestEffort({})] }),
    ],
  },
  {
    name: 'a request changed in mid-life applies from its first scrape on',
    cluster: 'resize',
    pods: [
      pod('resized', {
        containers: [
          container('app', {
            cpuCores: [
              [0, 0.5],
              [NOON - 30 * MINUTE, 1.5],
              [NOON + 45 * MINUTE, 0.75],
            ],
            ramBytes: [
              [0, 2 * GIB],
              [NOON + 15 * MINUTE, 4 * GIB],
            ],
          }),
        ],
      }),
    ],
  },
  {
    name: 'three hours in which the store was down are no cost',
    cluster: 'gap',
    pods: [pod('whole'), pod('above', { containers: [bursting('app')] })],
    changes: {
      kubeStateMetrics: [{ ...KUBE, gaps: [GAP] }],
      cadvisor: { ...CADVISOR, gaps: [GAP] },
      prices: { ...PRICES, gaps: [GAP] },
    },
    windows: [[NOON - 2 * HOUR, NOON + 2.5 * HOUR]],
    toleranceMs: 2 * 30 * SECOND,
  },
  {
    name: 'hours in which only kube-state-metrics was down cost what they cost',
    cluster: 'state-gap',
    pods: [
      pod('whole'),
      pod('above', { containers: [bursting('app', wavy(CADVISOR))] }),
      pod('gone', {
        startMs: NOON - 90 * MINUTE,
        endMs: scrapeMs(CADVISOR, 121) - 15 * SECOND,
        ends: 'deleted',
      }),
    ],
    changes: {
      kubeStateMetrics: [{ ...KUBE, gaps: [GAP] }],
      prices: { ...PRICES, gaps: [GAP] },
    },
    windows: [[NOON - 2 * HOUR, NOON + 2.5 * HOUR]],
    toleranceMs: 15 * SECOND,
  },
  {
    name: 'pods of a shard of kube-state-metrics that was down for hours cost what they cost',
    cluster: 'shard-gap',
    pods: [
      pod('one'),
      pod('two', { containers: [bursting('app'), container('log')] }),
      pod('three', { containers: [bursting('app')] }),
      pod('four', { ...SHORT, startMs: NOON - 80 * MINUTE }),
    ],
    changes: {
      kubeStateMetrics: [
        { ...KUBE, shard: [0, 2] },
        { ...KUBE, phaseMs: 11 * SECOND, shard: [1, 2], gaps: [[NOON - HOUR, NOON + 35 * MINUTE]] },
      ],
    },
    toleranceMs: 15 * SECOND,
  },
  {
    name: 'a pod that ends while nothing is scraped for six minutes ends at some time in them',
    cluster: 'short-state-gap',
    pods: [
      pod('beside'),
      pod('early', { endMs: NOON + 20_000, ends: 'deleted' }),
      pod('late', { endMs: NOON + 6 * MINUTE - 10_000, ends: 'deleted' }),
    ],
    changes: {
      kubeStateMetrics: [{ ...KUBE, gaps: [[NOON, NOON + 6 * MINUTE]] }],
      prices: { ...PRICES, gaps: [[NOON, NOON + 6 * MINUTE]] },
    },
    toleranceMs: 200 * SECOND,
  },
  {
    name: 'exporters scraped every two minutes are read alike',
    cluster: 'sparse',
    pods: [pod('one'), pod('two', { ...SHORT, containers: [bursting('app')] })],
    changes: {
      kubeStateMetrics: [{ intervalMs: 2 * MINUTE, phaseMs: 3 * SECOND }],
      cadvisor: { intervalMs: 2 * MINUTE, phaseMs: 40 * SECOND },
    },
  },
  {
    name: 'exporters scraped every five minutes have no gaps, and are read alike',
    cluster: 'sparser',
    pods: [pod('one'), pod('two', { ...SHORT, containers: [bursting('app')] })],
    changes: {
      kubeStateMetrics: [{ intervalMs: 5 * MINUTE, phaseMs: 3 * SECOND }],
      cadvisor: { intervalMs: 5 * MINUTE, phaseMs: 40 * SECOND },
    },
  },
  {
    name: 'GPUs cost what is asked for',
    cluster: 'gpu',
    pods: [
      pod('two', { containers: [container('app', { gpus: 2 })] }),
      pod('eight', {
        ...SHORT,
        node: 'node-b',
        containers: [container('app', { gpus: 8 }), container('log')],
      }),
    ],
  },
  {
    name: 'nodes without prices cost the default book, spot nodes its spot prices',
    cluster: 'default-book',
    pods: [
      pod('on-demand', { node: 'plain', containers: [container('app', { gpus: 1 })] }),
      pod('spot', { node: 'spot', containers: [container('app', { gpus: 1 })] }),
      pod('priced', { node: 'node-b' }),
    ],
    changes: { nodes: [{ name: 'plain' }, { name: 'spot', spot: true }, NODE_B] },
  },
  {
    name: 'usage of each CPU adds up before it is compared with the request',
    cluster: 'each-cpu',
    pods: [
      pod('bursting', { containers: [bursting('app')] }),
      pod('wavy', { containers: [container('app', wavy(CADVISOR)), container('log')] }),
      pod('restarted', {
        ...SHORT,
        containers: [bursting('app', { restartsMs: [scrapeMs(CADVISOR, 14)] })],
      }),
      pod('best-effort', { containers: [bestEffort({})] }),
    ],
    changes: { cpusShown: 3 },
  },
];

/** Fleets whose pods tell of their end before it, after it, or never were: each told in several ways. */
import {
  always,
  bursting,
  CADVISOR,
  container,
  HOUR,
  MINUTE,
  NOON,
  pod,
  scrapeMs,
  SHORT,
  type FleetRow,
} from './fleet-parts.ts';
import type { FleetPod, StatusMetrics } from './fleet.ts';

const EARLY_MS = NOON - 90 * MINUTE;

interface Told {
  readonly what: string;
  readonly pods: readonly FleetPod[];
  readonly status: readonly StatusMetrics[];
}

const TOLD: readonly Told[] = [
  {
    what: 'a container that finished beside one that goes on ends nothing',
    pods: [
      pod('worker', {
        containers: [bursting('app'), container('migrate', { finishedMs: EARLY_MS })],
      }),
      pod('completed', {
        ...SHORT,
        lingerMs: HOUR,
        containers: [
          container('app'),
          bursting('warm-up', { finishedMs: scrapeMs(CADVISOR, -20) }),
        ],
      }),
    ],
    status: ['none', 'phases', 'running containers'],
  },
  {
    what: 'a container that crashes again and again holds its requests between its runs',
    pods: [
      pod('crashing', {
        containers: [
          container('app', {
            cpuUsageCores: [
              [0, 0.2],
              [scrapeMs(CADVISOR, 10), 0],
              [scrapeMs(CADVISOR, 20), 0.2],
            ],
            restartsMs: [scrapeMs(CADVISOR, 20)],
            down: [[scrapeMs(CADVISOR, 10), scrapeMs(CADVISOR, 20)]],
          }),
        ],
      }),
    ],
    status: ['none', 'phases', 'running containers'],
  },
  {
    what: 'a pod that its node rejected costs nothing',
    pods: [pod('rejected', { ...SHORT, isRejected: true, lingerMs: HOUR }), pod('beside')],
    status: ['phases'],
  },
  {
    what: 'pods of one name without uid are charged each at its own node',
    pods: [
      pod('moved', { uid: '', endMs: NOON - 65_000, lingerMs: 45_000 }),
      pod('moved', {
        uid: '',
        startMs: NOON + 70_000,
        node: 'node-b',
        containers: [container('app', { cpuCores: always(3) })],
      }),
    ],
    status: ['none', 'phases', 'running containers'],
  },
];

export const STATUS_ROWS: readonly FleetRow[] = TOLD.flatMap(({ what, pods, status }, i) =>
  status.map((one) => ({
    name: `${what} (told: ${one})`,
    cluster: `status-${i}-${one.replaceAll(' ', '-')}`,
    pods,
    changes: { status: one },
  })),
);

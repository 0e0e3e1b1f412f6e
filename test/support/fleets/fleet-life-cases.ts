/** Fleets whose pods begin, end, crash and come back in all the ways there are. */
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
  SECOND,
  SHORT,
  WHOLE,
  type FleetRow,
} from './fleet-parts.ts';
import { GIB, type Scrape } from './fleet.ts';

const SPARSE: Scrape = { intervalMs: MINUTE, phaseMs: 30 * SECOND };

export const LIFE_ROWS: readonly FleetRow[] = [
  {
    name: 'requests hold while a crashing container waits to be started again',
    cluster: 'crash-loop',
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
  },
  {
    name: 'a pod deleted while running ends within one scrape interval of its last sample',
    cluster: 'deleted',
    pods: [
      pod('below', { ...SHORT, ends: 'deleted' }),
      pod('above', { ...SHORT, ends: 'deleted', containers: [bursting('app')] }),
    ],
    toleranceMs: 30 * SECOND,
  },
  {
    name: 'a completion first seen after the window still ends the pod inside it',
    cluster: 'late-completion',
    pods: [
      pod('below', { ...SHORT, endMs: WHOLE[1] - 20 * SECOND }),
      pod('above', { ...SHORT, endMs: WHOLE[1] - 20 * SECOND, containers: [bursting('app')] }),
    ],
    changes: { kubeStateMetrics: [SPARSE] },
    windows: [WHOLE],
  },
  {
    name: 'a completed pod that lingers for hours costs nothing after its end',
    cluster: 'lingering',
    pods: [
      pod('inside', { ...SHORT, lingerMs: 3 * HOUR }),
      pod('before', { startMs: NOON - 3.5 * HOUR, endMs: NOON - 2.5 * HOUR, lingerMs: 4 * HOUR }),
    ],
  },
  {
    name: 'a pod that waits for a node costs nothing until it starts',
    cluster: 'pending',
    pods: [pod('waited', { ...SHORT, createdMs: SHORT.startMs - HOUR })],
  },
  {
    name: 'pods of one name and different uids are different pods',
    cluster: 'same-name',
    pods: [
      pod('moved', { uid: 'first', endMs: NOON - 65_000, lingerMs: 45_000 }),
      pod('moved', { uid: 'second', startMs: NOON + 70_000, node: 'node-b' }),
      pod('stayed', { uid: 'third', endMs: NOON - 65_000, lingerMs: 45_000 }),
      pod('stayed', {
        uid: 'fourth',
        startMs: NOON + 70_000,
        containers: [container('app', { cpuCores: always(3) })],
      }),
    ],
  },
  {
    name: 'a pod holds the requests of all its containers from its start, usage counts from theirs',
    cluster: 'containers',
    pods: [
      pod('three', {
        containers: [
          container('app'),
          container('sidecar', {
            cpuCores: always(0.1),
            ramBytes: always(0.25 * GIB),
            cpuUsageCores: always(0.35),
          }),
          bursting('late', { startMs: NOON - 33 * MINUTE - 7_000 }),
        ],
      }),
    ],
  },
  {
    name: 'pods shorter than a scrape interval cost their life once they were seen',
    cluster: 'short',
    pods: [
      pod('twelve-seconds', { startMs: NOON + 65_000, endMs: NOON + 77_000 }),
      pod('half-a-minute', { startMs: NOON + 65_000, endMs: NOON + 95_000 }),
      pod('nine-minutes', { startMs: NOON - 65_000, endMs: NOON + 475_000 }),
    ],
    windows: [WHOLE],
  },
];

/**
 * A fleet of three days in Berlin, the second of which has 23 hours: pods below and above their
 * requests, over midnight and within an hour, on three nodes whose prices change.
 */
import { type Course, type Fleet, GIB, type Span } from './fleet.ts';
import { always, bursting, container, fleet, HOUR, MINUTE, pod, SECOND } from './fleet-parts.ts';

export const ZONE = 'Europe/Berlin';
/** Starts of 30 and 31 March and of 1 and 2 April 2024, local. */
export const DAY_STARTS: readonly number[] = [
  Date.UTC(2024, 2, 29, 23),
  Date.UTC(2024, 2, 30, 23),
  Date.UTC(2024, 2, 31, 22),
  Date.UTC(2024, 3, 1, 22),
];
const [FIRST = 0, SECOND_DAY = 0, THIRD = 0, END = 0] = DAY_STARTS;
export const DAYS: readonly Span[] = [
  [FIRST, SECOND_DAY],
  [SECOND_DAY, THIRD],
  [THIRD, END],
];

/** Scrapes come every minute, those of cAdvisor ten seconds later. */
const scraped = (fromMs: number, minutes: number): number =>
  fromMs + minutes * MINUTE + 10 * SECOND;

/** Every 50 minutes another of these, so that it changes within hours and days alike. */
function walk(values: readonly number[]): Course {
  const changes = Math.floor((END - FIRST) / (50 * MINUTE)) + 10;
  return Array.from({ length: changes }, (_, i) => [
    scraped(FIRST, (i - 4) * 50),
    values[(i * 7) % values.length] ?? 0,
  ]);
}

const WAVY = {
  cpuUsageCores: walk([0.1, 1.75, 0.4, 2.5, 0, 0.6]),
  ramUsageBytes: walk([1, 3.5, 0.25, 2.75, 5].map((gib) => gib * GIB)),
};
const LONG = { startMs: FIRST - 2 * HOUR + 7 * SECOND, endMs: END + 3 * HOUR };

const node = (name: string, usd: number, cpuCores: number): Fleet['nodes'][number] => ({
  name,
  capacity: { cpuCores, ramBytes: 4 * cpuCores * GIB },
  prices: {
    cpuUsdPerCoreHour: [
      [0, usd],
      [SECOND_DAY + 5 * HOUR, 1.5 * usd],
    ],
    ramUsdPerGibHour: always(usd / 8),
    gpuUsdPerHour: always(1),
  },
});

const PODS: Fleet['pods'] = [
  pod('steady', LONG),
  pod('wavy', { ...LONG, containers: [container('app', WAVY), bursting('sidecar', {})] }),
  pod('other', { ...LONG, node: 'node-b', containers: [container('app', WAVY)] }),
  // Its node has idle every day, and too little in some hours.
  pod('tight', { ...LONG, node: 'node-c', containers: [container('app', WAVY)] }),
  // From the first evening to the second morning, over a midnight.
  pod('night', { startMs: SECOND_DAY - 3 * HOUR + 4_321, endMs: SECOND_DAY + 6 * HOUR + 8_765 }),
  // The same name twice in one day.
  pod('again', { uid: 'again-1', startMs: THIRD + 2 * HOUR, endMs: THIRD + 3 * HOUR + 5 * MINUTE }),
  pod('again', { uid: 'again-2', startMs: THIRD + 7 * HOUR, endMs: THIRD + 8 * HOUR }),
  // On the edges of hours.
  pod('edge', { node: 'node-b', startMs: SECOND_DAY + 4 * HOUR, endMs: SECOND_DAY + 5 * HOUR }),
]; // prettier-ignore

/** Scraped from a few hours before the first day up to a few hours after the last, or less. */
export function daysFleet(untilMs: number = END + 2 * HOUR): Fleet {
  return fleet('days', PODS, {
    scraped: [FIRST - 3 * HOUR, untilMs],
    kubeStateMetrics: [{ intervalMs: MINUTE, phaseMs: 0 }],
    cadvisor: { intervalMs: MINUTE, phaseMs: 10 * SECOND },
    nodes: [node('node-a', 0.04, 16), node('node-b', 0.02, 16), node('node-c', 0.03, 1.5)],
  });
}

/**
 * What the fleets of fleet-cases.ts are built of: a day in 2024 around noon, two priced nodes, and
 * containers that stay below their requests or go above.
 */
import {
  type Course,
  type Fleet,
  type FleetContainer,
  type FleetNode,
  type FleetPod,
  GIB,
  type Scrape,
  scrapeTimes,
  type Span,
} from './fleet.ts';

export const SECOND: number = 1000;
export const MINUTE: number = 60 * SECOND;
export const HOUR: number = 60 * MINUTE;
export const NOON: number = Date.UTC(2024, 2, 10, 12);

/** 10:00 to 14:00, and a part of it whose edges lie on no scrape. */
export const WHOLE: Span = [NOON - 2 * HOUR, NOON + 2 * HOUR];
const PART: Span = [NOON - HOUR - 17_003, NOON + HOUR + 41_500];
export const BOTH: readonly Span[] = [WHOLE, PART];

export const KUBE: Scrape = { intervalMs: 30 * SECOND, phaseMs: 0 };
export const CADVISOR: Scrape = { intervalMs: 30 * SECOND, phaseMs: 10 * SECOND };
export const PRICES: Scrape = { intervalMs: MINUTE, phaseMs: 0 };

export const NODE_A: FleetNode = {
  name: 'node-a',
  prices: {
    cpuUsdPerCoreHour: [[0, 0.0417]],
    ramUsdPerGibHour: [[0, 0.0051]],
    gpuUsdPerHour: [[0, 1.37]],
  },
};
export const NODE_B: FleetNode = {
  name: 'node-b',
  prices: {
    cpuUsdPerCoreHour: [[0, 0.0123]],
    ramUsdPerGibHour: [[0, 0.0017]],
    gpuUsdPerHour: [[0, 0.5]],
  },
};

export function always(value: number): Course {
  return [[0, value]];
}

/** Below its request: 0.5 cores and 2 GiB asked, 0.2 cores and 1 GiB used. */
export function container(name: string, changes: Partial<FleetContainer> = {}): FleetContainer {
  return {
    name,
    cpuCores: always(0.5),
    ramBytes: always(2 * GIB),
    cpuUsageCores: always(0.2),
    ramUsageBytes: always(GIB),
    ...changes,
  };
}

/** Uses more than it asks for: 1.7 cores and 3 GiB. */
export function bursting(name: string, changes: Partial<FleetContainer> = {}): FleetContainer {
  return container(name, {
    cpuUsageCores: always(1.7),
    ramUsageBytes: always(3 * GIB),
    ...changes,
  });
}

/** From before all windows to after them, completed, unless changed. */
export function pod(name: string, changes: Partial<FleetPod> = {}): FleetPod {
  return {
    namespace: 'team',
    name,
    uid: `uid-of-${name}`,
    node: 'node-a',
    startMs: NOON - 3 * HOUR + 4_321,
    endMs: NOON + 3 * HOUR - 8_765,
    ends: 'completed',
    containers: [container('app')],
    ...changes,
  };
}

export function fleet(
  cluster: string,
  pods: readonly FleetPod[],
  changes: Partial<Fleet> = {},
): Fleet {
  return {
    cluster,
    scraped: [NOON - 4 * HOUR, NOON + 4 * HOUR],
    kubeStateMetrics: [KUBE],
    cadvisor: CADVISOR,
    prices: PRICES,
    nodes: [NODE_A, NODE_B],
    pods,
    ...changes,
  };
}

/** The n-th scrape at or after noon (before it, when negative). */
export function scrapeMs(scrape: Scrape, n: number): number {
  const beginMs = NOON + n * scrape.intervalMs;
  const [timeMs] = scrapeTimes(scrape, [beginMs - scrape.intervalMs / 2, NOON + 4 * HOUR]);
  return timeMs ?? beginMs;
}

/** Usage over and under the request, changing at scrapes of cAdvisor. */
export function wavy(scrape: Scrape): Partial<FleetContainer> {
  const at = (n: number): number => scrapeMs(scrape, n);
  return {
    cpuUsageCores: [
      [at(-200), 0.3],
      [at(-100), 2.25],
      [at(-60), 0.1],
      [at(3), 0.75],
      [at(4), 7],
      [at(5), 0],
      [at(130), 1.125],
    ],
    ramUsageBytes: [
      [at(-150), GIB],
      [at(-50), 5 * GIB],
      [at(20), 0.5 * GIB],
      [at(21), 2.5 * GIB],
      [at(170), 1.5 * GIB],
    ],
  };
}

export function bestEffort(changes: Partial<FleetContainer>): FleetContainer {
  const { name, cpuUsageCores, ramUsageBytes } = bursting('app', changes);
  return { name, cpuUsageCores, ramUsageBytes };
}

/** A life from 11:20:04 to 12:40:47. */
export const SHORT: { startMs: number; endMs: number } = {
  startMs: NOON - 40 * MINUTE + 4_000,
  endMs: NOON + 40 * MINUTE + 47_000,
};
/** One row of the table, over the ordinary fleet of two nodes. */
export interface FleetRow {
  readonly name: string;
  readonly cluster: string;
  readonly pods: readonly FleetPod[];
  readonly changes?: Partial<Fleet>;
  readonly windows?: readonly Span[];
  readonly toleranceMs?: number;
}

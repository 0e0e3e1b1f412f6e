/** Fleets at random of all that fleet-cases.ts has by itself. */
import type { Seeded } from '../../../scripts/seeded.ts';
import type { FleetCase } from './fleet-cases.ts';
import {
  always,
  CADVISOR,
  container,
  fleet,
  HOUR,
  KUBE,
  MINUTE,
  NODE_A,
  NODE_B,
  NOON,
  pod,
  scrapeMs,
  SECOND,
} from './fleet-parts.ts';
import {
  GIB,
  type Course,
  type Fleet,
  type FleetContainer,
  type FleetNode,
  type FleetPod,
  type Span,
} from './fleet.ts';

/** Scraped from 10:00 to 14:00. */
const SCRAPED: Span = [NOON - 2 * HOUR, NOON + 2 * HOUR];
/** Scrapes of cAdvisor, counted from noon. */
const FIRST_SCRAPE = -200;
const SCRAPES = 400;

/** @returns windows in which the store knows what was before and after them */
export function randomWindows(random: Seeded, count: number): Span[] {
  return Array.from({ length: count }, (): Span => {
    const startMs = NOON - 100 * MINUTE + random.below(80 * 60) * SECOND;
    return [startMs, startMs + (20 + random.below(80)) * MINUTE + random.below(60) * SECOND];
  });
}

export function randomFleet(random: Seeded, number: number, windows: readonly Span[]): FleetCase {
  const status = random.of(['none', 'phases', 'running containers'] as const);
  const pods = Array.from({ length: 1 + random.below(4) }, (_, i) => randomPod(random, i, status));
  const changes: Partial<Fleet> = {
    scraped: SCRAPED,
    status,
    nodes: [pricedAnew(random, NODE_A), pricedAnew(random, NODE_B)],
    kubeStateMetrics: random.is(0.2)
      ? [{ ...KUBE, shard: [0, 2] }, { ...KUBE, shard: [1, 2] }]
      : [KUBE],
    ...(random.is(0.2) ? { cpusShown: 1 + random.below(4) } : {}),
  }; // prettier-ignore
  return {
    name: `fleet ${number}`,
    fleet: fleet(`random-${number}`, pods, changes),
    windows,
    // Ends that samples alone tell lie anywhere between two scrapes.
    toleranceMs: pods.some(({ ends }) => ends !== 'completed') ? 30 * SECOND : 0,
  };
}

/** Its price of CPU changes at scrapes. */
function pricedAnew(random: Seeded, node: FleetNode): FleetNode {
  const times = Array.from(
    { length: random.below(3) },
    () => SCRAPED[0] + MINUTE * random.below(240),
  );
  const steps = courseOf(
    random,
    times.toSorted((a, b) => a - b),
    0.1,
  );
  // A price of 0 would say that the exporter had none.
  const cpuUsdPerCoreHour = steps.map(([ms, usd]): [number, number] => [ms, usd + 0.01]);
  return { ...node, ...(node.prices && { prices: { ...node.prices, cpuUsdPerCoreHour } }) };
}

function randomPod(random: Seeded, i: number, status: Fleet['status']): FleetPod {
  const isWhole = random.is(0.3);
  const startMs = isWhole ? NOON - 3 * HOUR : NOON - 110 * MINUTE + random.below(150 * 60) * SECOND;
  const endMs = isWhole ? NOON + 3 * HOUR : startMs + 90 * SECOND + random.below(70 * 60) * SECOND;
  const ends = random.of(
    status === 'phases' ? (['completed', 'evicted', 'deleted'] as const) : (['completed', 'deleted'] as const),
  ); // prettier-ignore
  const isEven = ends !== 'completed';
  return pod(`pod-${i}`, {
    startMs: startMs + random.below(1000),
    endMs: endMs + random.below(1000),
    ends,
    node: random.of(['node-a', 'node-b']),
    lingerMs: MINUTE + random.below(60) * MINUTE,
    containers: Array.from({ length: 1 + random.below(3) }, (_, k) =>
      randomContainer(random, k, [startMs, endMs], isEven),
    ),
  });
}

/**
 * @param k in its pod: the first one goes on to the end, others may finish before
 * @param isEven its allocation is constant, so that a time is an amount
 */
function randomContainer(
  random: Seeded,
  k: number,
  [startMs, endMs]: Span,
  isEven: boolean,
): FleetContainer {
  const name = `c${k}`;
  if (isEven) {
    const isAbove = random.is(0.5);
    return container(name, {
      cpuUsageCores: always(isAbove ? 1.7 : 0.2),
      ramUsageBytes: always(isAbove ? 3 * GIB : GIB),
    });
  }
  const inside = (count: number): number[] =>
    scrapesIn(random, count, startMs + 2 * MINUTE, endMs - 2 * MINUTE);
  const changes = inside(random.below(6));
  const restartsMs = random.is(0.3) ? inside(1 + random.below(3)) : [];
  const resetsMs =
    random.is(0.2) && restartsMs.length === 0 ? apart(inside(1 + random.below(2))) : [];
  const touched = [...changes, ...restartsMs, ...resetsMs];
  // Usage that stops later than two lookbacks before the end is taken for a gap.
  const [finishedMs] = scrapesIn(random, 1, startMs + 2 * MINUTE, endMs - 12 * MINUTE);
  const canFinish = k > 0 && touched.length === 0 && finishedMs !== undefined;
  const dipsMs = random.is(0.3)
    ? inside(1 + random.below(3)).filter((atMs) =>
        touched.every((otherMs) => Math.abs(otherMs - atMs) > 2 * MINUTE),
      )
    : [];
  return container(name, {
    cpuUsageCores: courseOf(random, changes, 4),
    ramUsageBytes: courseOf(random, inside(random.below(4)), 5 * GIB),
    restartsMs,
    resetsMs,
    dipsMs,
    ...(random.is(0.3) && { cpuCores: requestsOf(random, startMs, endMs) }),
    ...(random.is(0.15) && { gpus: 1 + random.below(8) }),
    ...(canFinish && random.is(0.8) && { finishedMs }),
  });
}

/** Without those soon after another: a counter that is reset at two scrapes running shows no second reset. */
function apart(timesMs: readonly number[]): number[] {
  return timesMs.filter((ms, i) => ms - (timesMs[i - 1] ?? -Infinity) > 3 * MINUTE);
}

/** Scrape times of cAdvisor in a span, ascending, each once. */
function scrapesIn(random: Seeded, count: number, fromMs: number, toMs: number): number[] {
  const some = Array.from({ length: count }, () =>
    scrapeMs(CADVISOR, FIRST_SCRAPE + random.below(SCRAPES)),
  );
  return [...new Set(some)].filter((ms) => ms > fromMs && ms < toMs).toSorted((a, b) => a - b);
}

function courseOf(random: Seeded, changesMs: readonly number[], most: number): Course {
  const level = (): number => (most * random.below(1000)) / 1000;
  return [[0, level()], ...changesMs.map((ms): [number, number] => [ms, level()])];
}

/** Changed at scrapes of kube-state-metrics. */
function requestsOf(random: Seeded, startMs: number, endMs: number): Course {
  const changes = Array.from({ length: random.below(4) }, () => KUBE.intervalMs * random.below(480))
    .map((ms) => SCRAPED[0] + ms)
    .filter((ms) => ms > startMs + MINUTE && ms < endMs - MINUTE);
  return courseOf(
    random,
    [...new Set(changes)].toSorted((a, b) => a - b),
    2,
  );
}

/**
 * Fleets at random of all that fleet-cases.ts has by itself: exporters scraped each 15 seconds to each hour, machines
 * and load balancers that replace others, contradictory prices and spikes, sidecars, overhead, effective requests.
 */
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
  PRICES,
  SECOND,
} from './fleet-parts.ts';
import {
  GIB,
  scrapeTimes,
  type Course,
  type Fleet,
  type FleetBalancer,
  type FleetContainer,
  type FleetNode,
  type FleetPod,
  type Scrape,
  type Span,
} from './fleet.ts';

/** Scraped from 10:00 to 14:00, and longer if scraped rarely. */
const SCRAPED: Span = [NOON - 2 * HOUR, NOON + 2 * HOUR];
/** How far apart the samples of a store are, and how many of all fleets are in such a store. */
export interface FleetStore {
  readonly share: number;
  readonly intervalsMs: readonly number[];
}

export function randomStores(random: Seeded): readonly FleetStore[] {
  const often = [15 * SECOND, 30 * SECOND, 30 * SECOND, MINUTE, MINUTE, 2 * MINUTE];
  return [
    { share: 0.7, intervalsMs: often },
    { share: 0.2, intervalsMs: [random.of([5 * MINUTE, 15 * MINUTE])] },
    // As Thanos downsamples.
    { share: 0.1, intervalsMs: [HOUR] },
  ];
}

/** @returns windows in which the store knows what was before and after them */
export function randomWindows(random: Seeded, count: number): Span[] {
  return Array.from({ length: count }, (): Span => {
    const startMs = NOON - 100 * MINUTE + random.below(80 * 60) * SECOND;
    return [startMs, startMs + (20 + random.below(80)) * MINUTE + random.below(60) * SECOND];
  });
}

/** What all objects of a fleet have in common. */
interface Setting {
  readonly random: Seeded;
  readonly windows: readonly Span[];
  readonly kube: Scrape;
  readonly cadvisor: Scrape;
  readonly prices: Scrape;
  /** The longest distance of scrapes, ms. */
  readonly stepMs: number;
  readonly scraped: Span;
  readonly status: NonNullable<Fleet['status']>;
}

function randomSetting(
  random: Seeded,
  windows: readonly Span[],
  intervalsMs: readonly number[],
): Setting {
  const [kube, cadvisor, prices] = [KUBE, CADVISOR, PRICES].map((usual): Scrape => ({
    ...usual,
    intervalMs: random.of(intervalsMs),
  })) as [Scrape, Scrape, Scrape];
  const stepMs = Math.max(kube.intervalMs, cadvisor.intervalMs, prices.intervalMs);
  return {
    random,
    windows,
    kube,
    cadvisor,
    prices,
    stepMs,
    scraped: [SCRAPED[0] - 10 * (stepMs - MINUTE), SCRAPED[1] + 10 * (stepMs - MINUTE)],
    status: random.of(['none', 'phases', 'running containers'] as const),
  };
}

/** @param intervalsMs that its exporters are scraped at, each at one of them */
export function randomFleet(
  random: Seeded,
  name: string,
  windows: readonly Span[],
  intervalsMs: readonly number[],
): FleetCase {
  const setting = randomSetting(random, windows, intervalsMs);
  const { kube, cadvisor, prices, scraped, status } = setting;
  const nodes = [...randomMachines(setting, NODE_A, `${name}-a`), ...randomMachines(setting, NODE_B, `${name}-b`)]; // prettier-ignore
  const pods = Array.from({ length: 1 + random.below(4) }, (_, i) => randomPod(setting, nodes, i));
  const changes: Partial<Fleet> = {
    scraped,
    status,
    nodes,
    cadvisor,
    prices,
    kubeStateMetrics: random.is(0.2)
      ? [{ ...kube, shard: [0, 2] }, { ...kube, shard: [1, 2] }]
      : [kube],
    ...(random.is(0.2) ? { cpusShown: 1 + random.below(4) } : {}),
    balancers: random.is(0.3) ? randomBalancers(setting) : [],
  }; // prettier-ignore
  return {
    name: `fleet ${name}`,
    fleet: fleet(`random-${name}`, pods, changes),
    windows,
    // Ends that samples alone tell lie anywhere between two scrapes.
    toleranceMs: pods.some(({ ends }) => ends !== 'completed')
      ? Math.max(kube.intervalMs, cadvisor.intervalMs)
      : 0,
  };
}

/** One machine, or two of one name. */
function randomMachines(setting: Setting, node: FleetNode, id: string): FleetNode[] {
  const { random, stepMs, scraped } = setting;
  if (random.is(0.4)) return [pricedAnew(setting, node, scraped)];
  const first = { ...node, providerId: `id-${id}-1` };
  if (random.is(0.4)) return [pricedAnew(setting, first, scraped)];
  const goneMs = NOON - HOUR + random.below(120) * MINUTE;
  const fromMs = goneMs + random.below(20) * MINUTE + random.below(3) * stepMs;
  return [
    pricedAnew(setting, { ...first, goneMs }, [scraped[0], goneMs]),
    pricedAnew(setting, { ...node, providerId: `id-${id}-2`, fromMs }, [fromMs, scraped[1]]),
  ];
}

/** Its price of CPU changes at scrapes, by less than a spike. */
function pricedAnew(setting: Setting, node: FleetNode, life: Span): FleetNode {
  const { random, prices: scrape } = setting;
  const { prices, providerId } = node;
  if (prices === undefined) return node;
  const changes = scrapesIn(random, scrape, random.below(3), life);
  const cpuUsdPerCoreHour = courseOf(random, changes, [0.04, 0.11]);
  return {
    ...node,
    prices: { ...prices, cpuUsdPerCoreHour },
    ...(random.is(0.3) && { contradiction: contradictionOf(random, cpuUsdPerCoreHour, providerId) }),
    ...(random.is(0.2) && { spikesMs: spikesIn(setting, life) }),
  }; // prettier-ignore
}

/** Less identified, else not plausible, else higher. */
function contradictionOf(
  random: Seeded,
  usd: Course,
  providerId: string | undefined,
): NonNullable<FleetNode['contradiction']> {
  const labels = { region: 'elsewhere' };
  if (providerId !== undefined)
    return { labels, cpuUsdPerCoreHour: always(random.of([0.0005, 0.02, 0.05, 130])) };
  const isImplausible = random.is(0.5);
  const cpuUsdPerCoreHour = usd.map(([ms, value]): [number, number] => [
    ms,
    isImplausible ? 130 : 1.5 * value,
  ]);
  return { labels, cpuUsdPerCoreHour };
}

/** Scrapes that each window shows with what was before and after them, or not at all. */
function spikesIn({ random, windows, prices }: Setting, life: Span): number[] {
  if (prices.intervalMs > 2 * MINUTE) return [];
  const isFar = (ms: number): boolean =>
    [...life, ...windows.flat()].every((edgeMs) => Math.abs(edgeMs - ms) > 25 * MINUTE);
  return scrapesIn(random, prices, 1, life).filter(isFar);
}

/** One, or one that another replaces at once or later, for pods of one label. */
function randomBalancers({ random, prices, stepMs }: Setting): FleetBalancer[] {
  const least = 4 * stepMs;
  const at = (ms: number): number => scrapeTimes(prices, [ms, ms + 2 * stepMs])[0] ?? ms;
  const fromMs = at(NOON - 2 * HOUR - least + random.below(120) * MINUTE);
  const cutMs = at(fromMs + least + random.below(90) * MINUTE);
  const nextMs = at(cutMs + random.of([0, random.below(30) * MINUTE]));
  const endMs = at(nextMs + least + random.below(90) * MINUTE);
  const balancer = (address: string, span: Span): FleetBalancer => ({
    namespace: 'team', service: 'front', app: 'front', address, span, usdPerHour: 0.01 + random.below(9) / 100,
  }); // prettier-ignore
  const first = balancer('192.0.2.1', [fromMs, cutMs]);
  return random.is(0.3) ? [first] : [first, balancer('192.0.2.2', [nextMs, endMs])];
}

function randomPod(setting: Setting, nodes: readonly FleetNode[], i: number): FleetPod {
  const { random, status, stepMs, scraped } = setting;
  const node = random.of(nodes);
  const isWhole = random.is(0.3);
  const least = Math.max(90 * SECOND, 1.2 * stepMs);
  const aloneMs = NOON - 110 * MINUTE - least + random.below(150 * 60) * SECOND;
  const [fromMs, toMs] = isWhole
    ? [scraped[0] - HOUR, scraped[1] + HOUR]
    : [aloneMs, aloneMs + least + random.below(70 * 60) * SECOND];
  // On its machine, and seen there before and after.
  const startMs = Math.max(fromMs, (node.fromMs ?? -Infinity) + 2 * stepMs);
  const endMs = Math.min(Math.max(toMs, startMs + least), (node.goneMs ?? Infinity) - 2 * stepMs);
  const ends = random.of(
    status === 'phases' ? (['completed', 'evicted', 'deleted'] as const) : (['completed', 'deleted'] as const),
  ); // prettier-ignore
  const life: Span = [Math.min(startMs, endMs - least), endMs];
  const count = 1 + random.below(3);
  const kind = ends === 'completed' ? random.of(POD_KINDS) : 'plain';
  const usage = count > 1 && kind !== 'plain' ? random.of(['below', 'above'] as const) : 'any';
  return pod(`pod-${i}`, {
    startMs: life[0] + random.below(1000),
    endMs: life[1] + random.below(1000),
    ends,
    node: node.name,
    lingerMs: 2 * stepMs + random.below(60) * MINUTE,
    ...(random.is(0.5) && { app: 'front' }),
    ...(kind === 'overhead' && { overhead: { cpuCores: 0.25, ramBytes: GIB / 4 } }),
    ...(kind === 'reserved' && { reserved: { cpuCores: count * (0.5 + random.below(6) / 10), ramBytes: count * 2 * GIB } }),
    containers: Array.from({ length: count }, (_, k) =>
      ends === 'completed'
        ? randomContainer(setting, k, life, usage)
        : evenContainer(random, k),
    ),
  }); // prettier-ignore
}

const POD_KINDS = ['plain', 'plain', 'plain', 'overhead', 'reserved'] as const;

/** Its allocation is constant, so that a time is an amount. */
function evenContainer(random: Seeded, k: number): FleetContainer {
  const isAbove = random.is(0.5);
  return container(`c${k}`, {
    cpuUsageCores: always(isAbove ? 1.7 : 0.2),
    ramUsageBytes: always(isAbove ? 3 * GIB : GIB),
    ...(k > 0 && random.is(0.2) && { isSidecar: true }),
  });
}

/** Ranges of usage. */
const LEVELS = {
  any: { cores: [0, 4], gib: [0, 5] },
  below: { cores: [0, 0.4], gib: [0, 1.5] },
  above: { cores: [3, 4], gib: [5, 6] },
} as const;

/**
 * @param k in its pod: the first one goes on to the end, others may finish before
 * @param usage of containers that share what their pod reserves: all of them below their share, or all above
 */
function randomContainer(
  { random, kube, cadvisor, scraped, stepMs }: Setting,
  k: number,
  [startMs, endMs]: Span,
  usage: keyof typeof LEVELS,
): FleetContainer {
  const isAny = usage === 'any';
  const marginMs = Math.max(2 * MINUTE, 2 * stepMs);
  const known: Span = [
    Math.max(startMs, scraped[0]) + marginMs,
    Math.min(endMs, scraped[1]) - marginMs,
  ];
  const inside = (count: number): number[] => scrapesIn(random, cadvisor, count, known);
  // A counter that falls to more than half is not taken for reset: its usage is constant.
  const resetsMs = random.is(0.15) ? apart(inside(1 + random.below(2)), 3 * stepMs) : [];
  const changes = resetsMs.length > 0 ? [] : inside(random.below(6));
  const restartsMs = random.is(0.3) && resetsMs.length === 0 ? inside(1 + random.below(3)) : [];
  const touched = [...changes, ...restartsMs, ...resetsMs];
  // Usage that stops later than two lookbacks before the end is taken for a gap.
  const [finishedMs] = scrapesIn(random, cadvisor, 1, [known[0], known[1] - 10 * MINUTE]);
  const isSidecar = k > 0 && random.is(0.2);
  const isPlain = isAny && !isSidecar && touched.length === 0;
  const canFinish = k > 0 && isPlain && finishedMs !== undefined;
  const dips = inside(random.is(0.3) ? 1 + random.below(3) : 0).filter((atMs) =>
    touched.every((otherMs) => Math.abs(otherMs - atMs) > 4 * cadvisor.intervalMs),
  );
  // Several dips one after another are a gap where samples are far apart.
  const dipsMs = cadvisor.intervalMs > 2 * MINUTE ? apart(dips, 2 * cadvisor.intervalMs) : dips;
  const { cores, gib } = LEVELS[usage];
  return container(`c${k}`, {
    cpuUsageCores: courseOf(random, changes, cores),
    ramUsageBytes: courseOf(random, inside(random.below(4)), [gib[0] * GIB, gib[1] * GIB]),
    restartsMs,
    resetsMs,
    dipsMs,
    ...(isAny && random.is(0.3) && { cpuCores: courseOf(random, scrapesIn(random, kube, random.below(4), known), [0, 2]) }),
    ...(random.is(0.15) && { gpus: 1 + random.below(8) }),
    ...(isSidecar && { isSidecar }),
    ...(canFinish && random.is(0.8) && { finishedMs }),
  }); // prettier-ignore
}

/** Without those soon after another: a counter that is reset at two scrapes running shows no second reset. */
function apart(timesMs: readonly number[], leastMs: number): number[] {
  return timesMs.filter((ms, i) => ms - (timesMs[i - 1] ?? -Infinity) > leastMs);
}

/** Scrape times within a span, ascending, each once. */
function scrapesIn(random: Seeded, scrape: Scrape, count: number, [fromMs, toMs]: Span): number[] {
  const times = scrapeTimes(scrape, [fromMs + 1, toMs]);
  if (times.length === 0) return [];
  const some = Array.from({ length: count }, () => random.of(times));
  return [...new Set(some)].toSorted((a, b) => a - b);
}

function courseOf(
  random: Seeded,
  changesMs: readonly number[],
  [least, most]: readonly [number, number],
): Course {
  const level = (): number => least + ((most - least) * random.below(1000)) / 1000;
  return [[0, level()], ...changesMs.map((ms): [number, number] => [ms, level()])];
}

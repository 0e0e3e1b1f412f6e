/**
 * Fleets of our own making, as plain data, and what each of their containers costs in closed form.
 * Requests, usage and prices are piecewise constant, so every integral is a short exact sum. The
 * OpenMetrics a fleet shows when scraped is fleet-series.ts's.
 */

import type { Amounts } from '../../../scripts/openb-fleet.ts';
import type { Labels } from '../../../scripts/openmetrics.ts';

/** Constant pieces in order of time: a value holds from its time to the next; the first holds before its time too. */
export type Course = readonly (readonly [fromMs: number, value: number])[];

/** Unix milliseconds, end exclusive. */
export type Span = readonly [startMs: number, endMs: number];

/** When one exporter is scraped. */
export interface Scrape {
  readonly intervalMs: number;
  readonly phaseMs: number;
  /** Each scrape is up to this much early or late. */
  readonly jitterMs?: number;
  /** Times without scrapes: the store was down. */
  readonly gaps?: readonly Span[];
}

/** A replica of kube-state-metrics. */
export interface StateScrape extends Scrape {
  /** The part of the pods that it tells of: number and count of shards; all where not given. */
  readonly shard?: readonly [number: number, count: number];
}

/** A machine. Several may have one name, one after another. */
export interface FleetNode {
  readonly name: string;
  /** Shown by its own series and those of its prices. */
  readonly providerId?: string;
  /** When it was made, if after the machine before it of its name. */
  readonly fromMs?: number;
  /** When it was taken away, if it was; its pods' objects may stay. */
  readonly goneMs?: number;
  readonly spot?: boolean;
  /** What kube-state-metrics tells of its size, where it does. */
  readonly capacity?: { readonly cpuCores: number; readonly ramBytes: number };
  /** Without, no price series are written and the default book applies. */
  readonly prices?: {
    readonly cpuUsdPerCoreHour: Course;
    readonly ramUsdPerGibHour: Course;
    readonly gpuUsdPerHour: Course;
  };
  /** A second series of its price of CPU, which the first contradicts and outweighs. */
  readonly contradiction?: {
    readonly labels: Labels;
    readonly cpuUsdPerCoreHour: Course;
  };
  /** Scrapes of prices at which its price of CPU is shown fiftyfold. */
  readonly spikesMs?: readonly number[];
}

/** A load balancer of a service. One with another address replaces it, if it comes after it. */
export interface FleetBalancer {
  readonly namespace: string;
  readonly service: string;
  readonly address: string;
  /** From a scrape of prices to one. */
  readonly span: Span;
  readonly usdPerHour: number;
  /** Label of the pods behind the service. */
  readonly app: string;
}

export interface FleetContainer {
  readonly name: string;
  /** An init container that runs as long as its pod. */
  readonly isSidecar?: boolean;
  /** When it started, if later than its pod, which holds its requests from the pod's start on. */
  readonly startMs?: number;
  /** Requests; without, the container has none. */
  readonly cpuCores?: Course;
  readonly ramBytes?: Course;
  readonly gpus?: number;
  readonly cpuUsageCores: Course;
  readonly ramUsageBytes: Course;
  /** When it finished, if earlier than its pod, which goes on to hold its requests. */
  readonly finishedMs?: number;
  /** It was started anew: cAdvisor shows a new series, from 0. Must be scrape times of cAdvisor. */
  readonly restartsMs?: readonly number[];
  /** The counter falls to 0 within its series. Must be scrape times of cAdvisor. */
  readonly resetsMs?: readonly number[];
  /** The counter shows a little less than it has, for a scrape each. Must be scrape times of cAdvisor. */
  readonly dipsMs?: readonly number[];
  /** It waits to be started again: cAdvisor shows nothing. */
  readonly down?: readonly Span[];
}

/** Requests that pods have as a whole, in cores and bytes. */
export type Requested = 'cpuCores' | 'ramBytes';

export interface FleetPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  /** When it was made, if earlier than its start: pending in between. */
  readonly createdMs?: number;
  readonly startMs: number;
  readonly endMs: number;
  /** `completed` shows a completion time for `lingerMs`, `evicted` the phase Failed alone; `deleted` just stops. */
  readonly ends: 'completed' | 'evicted' | 'deleted';
  /** When it is to be gone at the latest, told from its deletion on. */
  readonly deletion?: { readonly fromMs: number; readonly atMs: number };
  readonly lingerMs?: number;
  /** Its node took none of its containers: it is Failed from its start on. */
  readonly isRejected?: boolean;
  /** What its RuntimeClass adds to its requests. */
  readonly overhead?: Readonly<Record<Requested, number>>;
  /** Its effective request, as kube-scheduler shows it: the sum of all others does not count. */
  readonly reserved?: Readonly<Record<Requested, number>>;
  /** Its label `app`; by default its name. */
  readonly app?: string;
  readonly containers: readonly FleetContainer[];
}

/** What kube-state-metrics tells of the status of pods besides their times. */
export type StatusMetrics = 'none' | 'phases' | 'running containers';

export interface Fleet {
  /** Value of `cluster_id` on every series. */
  readonly cluster: string;
  /** When scraping begins and stops. */
  readonly scraped: Span;
  /** One entry per replica of kube-state-metrics. */
  readonly kubeStateMetrics: readonly StateScrape[];
  readonly status?: StatusMetrics;
  /** Metrics that its allowlist leaves out. */
  readonly lacks?: readonly string[];
  readonly cadvisor: Scrape;
  /** cAdvisor shows usage of so many CPUs, each by itself, instead of their total. */
  readonly cpusShown?: number;
  readonly prices: Scrape;
  readonly nodes: readonly FleetNode[];
  readonly pods: readonly FleetPod[];
  readonly balancers?: readonly FleetBalancer[];
}

export interface Expected extends Amounts {
  /** How long it ran while the store could see it. */
  readonly runHours: number;
}

export const GIB: number = 2 ** 30;
const MS_PER_HOUR = 3_600_000;

/** The default book, in $/core·h, $/GiB·h and $/GPU·h. */
const ON_DEMAND = { cpu: 0.031611, ram: 0.004237, gpu: 0.95 };
const SPOT = { cpu: 0.006655, ram: 0.000892, gpu: 0.95 };

/** Scrape times in [startMs, endMs): phase + k·interval since the Unix epoch, moved by the jitter. */
export function scrapeTimes(scrape: Scrape, [startMs, endMs]: Span): number[] {
  const { intervalMs, phaseMs, jitterMs = 0, gaps = [] } = scrape;
  const times: number[] = [];
  for (let k = Math.ceil((startMs - phaseMs) / intervalMs); ; k++) {
    // A fixed walk through [-1, 1] stands for chance: every run sees the same times.
    const off = (((k * 7919) % 101) - 50) / 50;
    const timeMs = phaseMs + k * intervalMs + Math.round(off * jitterMs);
    if (timeMs >= endMs) return times;
    const down = gaps.some(([fromMs, toMs]) => timeMs >= fromMs && timeMs < toMs);
    if (!down && timeMs >= startMs) times.push(timeMs);
  }
}

/** The value of a course at a time. */
export function valueAt(course: Course, timeMs: number): number {
  return course[Math.max(0, pieceAt(course, timeMs))]?.[1] ?? 0;
}

/** The integral of a course over a span, in value·ms. */
export function integral(course: Course, [startMs, endMs]: Span): number {
  let sum = 0;
  let fromMs = startMs;
  for (let next = pieceAt(course, startMs) + 1; fromMs < endMs; next++) {
    const toMs = Math.min(endMs, course[next]?.[0] ?? Infinity);
    sum += (course[Math.max(0, next - 1)]?.[1] ?? 0) * (toMs - fromMs);
    fromMs = toMs;
  }
  return sum;
}

/** By bisection, as each sample of a counter is an integral. @returns the place of the piece, -1 before the first */
function pieceAt(course: Course, timeMs: number): number {
  let [first, end] = [0, course.length];
  while (first < end) {
    const middle = (first + end) >>> 1;
    if ((course[middle]?.[0] ?? Infinity) <= timeMs) first = middle + 1;
    else end = middle;
  }
  return first - 1;
}

/**
 * What every container costs within a window, by `cluster/node/namespace/pod/container`: integrals of
 * max(request, usage) and of its product with the price. Time the store was down is no cost.
 */
export function expectedRows(fleet: Fleet, window: Span): Map<string, Expected> {
  const rows = new Map<string, Expected>();
  for (const pod of fleet.pods.filter(({ isRejected }) => isRejected !== true))
    for (const container of pod.containers) {
      const key = [fleet.cluster, pod.node, pod.namespace, pod.name, container.name].join('/');
      const row = expected(fleet, pod, container, window);
      if (row !== undefined) rows.set(key, sum(rows.get(key), row));
    }
  return rows;
}

interface NodeCosts {
  readonly cpuCost: number;
  readonly ramCost: number;
}

/** What nodes of a known capacity cost in a window in which all of them are there, by name. */
export function expectedNodeCosts(fleet: Fleet, window: Span): ReadonlyMap<string, NodeCosts> {
  return new Map(
    fleet.nodes.map((node) => {
      const { name, capacity } = node;
      const prices = pricesOf(node);
      const cpu = (capacity?.cpuCores ?? 0) * integral(prices.cpu, window);
      const ram = ((capacity?.ramBytes ?? 0) / GIB) * integral(prices.ram, window);
      return [name, { cpuCost: cpu / MS_PER_HOUR, ramCost: ram / MS_PER_HOUR }];
    }),
  );
}

/** What allocations and idle come to: of each node its cost, or what is allocated if that is more. */
export function expectedWithIdle(fleet: Fleet, window: Span): NodeCosts {
  const rows = [...expectedRows(fleet, window)];
  const sums = { cpuCost: 0, ramCost: 0 };
  for (const [name, costs] of expectedNodeCosts(fleet, window)) {
    const own = rows.filter(([key]) => key.split('/')[1] === name);
    for (const resource of ['cpuCost', 'ramCost'] as const) {
      const allocated = own.reduce((total, [, row]) => total + row[resource], 0);
      sums[resource] += Math.max(costs[resource], allocated);
    }
  }
  return sums;
}

function expected(
  fleet: Fleet,
  pod: FleetPod,
  container: FleetContainer,
  [windowStartMs, windowEndMs]: Span,
): Expected | undefined {
  const startMs = Math.max(windowStartMs, pod.startMs);
  const endMs = Math.min(windowEndMs, pod.endMs);
  if (startMs >= endMs) return undefined;
  const prices = pricesOf(machineOf(fleet, pod));
  const usedFromMs = container.startMs ?? pod.startMs;
  const used: Span = [usedFromMs, container.finishedMs ?? Infinity];
  const cpuUsageCores = within(container.cpuUsageCores, used);
  const ramUsageBytes = within(container.ramUsageBytes, used);
  const requests = pod.containers.flatMap(({ cpuCores = [], ramBytes = [] }) => [
    cpuCores,
    ramBytes,
  ]);
  const courses = [...requests, cpuUsageCores, ramUsageBytes, ...Object.values(prices)];
  let row: Expected | undefined;
  for (const [fromMs, toMs] of pieces([startMs, endMs], courses, unseen(fleet))) {
    const hours = (toMs - fromMs) / MS_PER_HOUR;
    const requested = (of: Requested): number => requestAt(pod, container, of, fromMs);
    const cpu = Math.max(requested('cpuCores'), valueAt(cpuUsageCores, fromMs)) * hours;
    const ram = Math.max(requested('ramBytes'), valueAt(ramUsageBytes, fromMs)) * hours;
    const gpu = (container.gpus ?? 0) * hours;
    row = sum(row, {
      runHours: hours,
      cpuCoreHours: cpu,
      ramByteHours: ram,
      gpuHours: gpu,
      cpuCost: cpu * valueAt(prices.cpu, fromMs),
      ramCost: (ram / GIB) * valueAt(prices.ram, fromMs),
      gpuCost: gpu * valueAt(prices.gpu, fromMs),
    });
  }
  return row;
}

/** A course that is 0 outside a span. */
function within(course: Course, [fromMs, toMs]: Span): Course {
  const inside = course.filter(([atMs]) => atMs > fromMs && atMs < toMs);
  return [[-Infinity, 0], [fromMs, valueAt(course, fromMs)], ...inside, [toMs, 0]];
}

/**
 * A container's part of what its pod reserves: in proportion to the containers' own requests, evenly where there are
 * none.
 */
function requestAt(
  { containers, overhead, reserved }: FleetPod,
  container: FleetContainer,
  of: Requested,
  timeMs: number,
): number {
  const own = (one: FleetContainer): number => valueAt(one[of] ?? [], timeMs);
  const sumOfAll = containers.reduce((total, one) => total + own(one), 0);
  const held = reserved?.[of] ?? sumOfAll + (overhead?.[of] ?? 0);
  return sumOfAll > 0 ? (held * own(container)) / sumOfAll : held / containers.length;
}

/** The machine that had the name of a pod's node when the pod started. */
function machineOf({ nodes }: Fleet, { node, startMs }: FleetPod): FleetNode | undefined {
  return nodes.find(
    ({ name, fromMs = -Infinity, goneMs = Infinity }) =>
      name === node && startMs >= fromMs && startMs < goneMs,
  );
}

/**
 * What pods pay for load balancers in a window, by name: each container the part of the cost there that it has of the
 * time that containers ran behind the service while it was there; '' pays for those without pods.
 */
export function expectedBalancerCosts(fleet: Fleet, window: Span): ReadonlyMap<string, number> {
  const costs = new Map<string, number>();
  for (const { span, usdPerHour, app } of fleet.balancers ?? []) {
    const there: Span = [Math.max(span[0], window[0]), Math.min(span[1], window[1])];
    const cost = (usdPerHour * Math.max(0, there[1] - there[0])) / MS_PER_HOUR;
    const times = fleet.pods
      .filter((pod) => (pod.app ?? pod.name) === app)
      .map(({ name, startMs, endMs, containers }): [string, number] => [
        name,
        containers.length * Math.max(0, Math.min(endMs, there[1]) - Math.max(startMs, there[0])),
      ]);
    const totalMs = times.reduce((total, [, ms]) => total + ms, 0);
    const parts = totalMs > 0 ? times : [['', 1] as const];
    for (const [name, ms] of parts)
      costs.set(name, (costs.get(name) ?? 0) + (cost * ms) / (totalMs || 1));
  }
  return costs;
}

function pricesOf(node: FleetNode | undefined): Record<'cpu' | 'ram' | 'gpu', Course> {
  if (node?.prices !== undefined)
    return {
      cpu: node.prices.cpuUsdPerCoreHour,
      ram: node.prices.ramUsdPerGibHour,
      gpu: node.prices.gpuUsdPerHour,
    };
  const book = node?.spot === true ? SPOT : ON_DEMAND;
  return { cpu: [[0, book.cpu]], ram: [[0, book.ram]], gpu: [[0, book.gpu]] };
}

/** From the last scrape of cAdvisor before each gap to the first after it. */
function unseen(fleet: Fleet): Span[] {
  const times = scrapeTimes(fleet.cadvisor, fleet.scraped);
  return (fleet.cadvisor.gaps ?? []).map(([fromMs, toMs]) => [
    times.findLast((timeMs) => timeMs < fromMs) ?? fromMs,
    times.find((timeMs) => timeMs >= toMs) ?? toMs,
  ]);
}

/** A span cut at every change of the courses, without the spans left out. */
function pieces([startMs, endMs]: Span, courses: readonly Course[], out: Span[] = []): Span[] {
  const cuts = [...courses.flat().map(([fromMs]) => fromMs), ...out.flat()];
  const inside = cuts.filter((cutMs) => cutMs > startMs && cutMs < endMs);
  const edges = [startMs, ...new Set(inside.toSorted((a, b) => a - b)), endMs];
  return edges
    .slice(0, -1)
    .map((fromMs, i): Span => [fromMs, edges[i + 1] ?? endMs])
    .filter(([fromMs]) => !out.some(([outMs, backMs]) => fromMs >= outMs && fromMs < backMs));
}

function sum(a: Expected | undefined, b: Expected): Expected {
  if (a === undefined) return b;
  return {
    runHours: a.runHours + b.runHours,
    cpuCoreHours: a.cpuCoreHours + b.cpuCoreHours,
    ramByteHours: a.ramByteHours + b.ramByteHours,
    gpuHours: a.gpuHours + b.gpuHours,
    cpuCost: a.cpuCost + b.cpuCost,
    ramCost: a.ramCost + b.ramCost,
    gpuCost: a.gpuCost + b.gpuCost,
  };
}

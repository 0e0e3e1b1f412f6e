/**
 * The fleet of a simulated month, as a store shows it to whoever asks at a time, and what it truly cost:
 * pods with lives to the second on two nodes, some told late, some beyond what their node has.
 */
import type { Seeded } from '../../../scripts/seeded.ts';
import { compileMatchers } from '../../../src/metrics/matching.ts';
import { encodeLabels, markStale, SamplesWriter } from '../../../src/metrics/samples.ts';
import type { Batch, Selection, TimeRange } from '../../../src/metrics/index.ts';

export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;
export const START_MS: number = Date.UTC(2024, 4, 1);
export const DAYS = 30;

const DAYS_LEAST = 3;
const GIB = 2 ** 30;
const SCRAPE_MS = 300_000;
const BATCH_BYTES = 1 << 16;
/** A completed pod stays in the API for a while. */
const LINGER_MS = 300_000;

interface Amounts {
  readonly cores: number;
  readonly gib: number;
}

export interface Node extends Amounts {
  readonly name: string;
  /** An hour, of a core and of a GiB. */
  readonly usd: Amounts;
}

export interface Life extends Amounts {
  readonly pod: string;
  readonly node: Node;
  readonly startMs: number;
  readonly endMs: number;
  /** Nobody sees its samples before then. */
  readonly knownMs: number;
}

export interface Fleet {
  /** The store's first samples: the cluster begins within the month. */
  readonly firstMs: number;
  readonly nodes: readonly Node[];
  readonly lives: readonly Life[];
}

export function fleetOf(random: Seeded): Fleet {
  // Each day takes tens of milliseconds to build: most clusters begin late.
  const days = DAYS_LEAST + Math.floor((DAYS - DAYS_LEAST + 1) * (random.below(1000) / 1000) ** 3);
  const firstMs = START_MS + (DAYS - days) * DAY_MS;
  const nodes = ['one', 'two'].map((name) => ({
    name,
    cores: 2 + random.below(7),
    gib: 4 + random.below(29),
    usd: { cores: (1 + random.below(9)) / 100, gib: (1 + random.below(9)) / 1000 },
  }));
  const lives = Array.from({ length: 6 + random.below(8) }, (_, i): Life => {
    const node = random.of(nodes);
    const startMs = firstMs + 1000 * random.below((days * DAY_MS) / 1000);
    const isLong = random.is(0.4);
    const endMs = startMs + 600_000 + 1000 * random.below(isLong ? 864_000 : 30_000);
    const knownMs = random.is(0.3) ? startMs + HOUR_MS * random.below(60) : startMs;
    // As a scheduler places them: a request of more than twice the node is taken for a fault.
    const amounts = {
      cores: Math.min(node.cores, (1 + random.below(12)) / 4),
      gib: Math.min(node.gib, (1 + random.below(24)) / 2),
    };
    return { pod: `pod-${i}`, node, startMs, endMs, knownMs, ...amounts };
  });
  // One is there all the time: a day without any pod is a day without samples.
  const [first] = nodes;
  if (first === undefined) throw new Error('BUG: no node');
  const steady = { pod: 'steady', node: first, cores: 0.5, gib: 1 };
  const all = { startMs: firstMs - HOUR_MS, endMs: START_MS + 2 * DAYS * DAY_MS, knownMs: 0 };
  return { firstMs, nodes, lives: [...lives, { ...steady, ...all }] };
}

/** USD within a window of what is known at a time. */
export function costOf(life: Life, startMs: number, endMs: number, knownMs: number): number {
  if (life.knownMs > knownMs) return 0;
  const hours =
    Math.max(0, Math.min(endMs, life.endMs) - Math.max(startMs, life.startMs)) / HOUR_MS;
  return hours * (life.cores * life.node.usd.cores + life.gib * life.node.usd.gib);
}

export function costOfNodes({ nodes }: Fleet, hours: number): number {
  return nodes.reduce(
    (sum, { cores, gib, usd }) => sum + hours * (cores * usd.cores + gib * usd.gib),
    0,
  );
}

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly value: number;
}

function seriesOfNode({ name, cores, gib, usd }: Node, firstMs: number): Series[] {
  const always = { fromMs: firstMs - HOUR_MS, untilMs: START_MS + 3 * DAYS * DAY_MS };
  const show = (metric: string, more: Readonly<Record<string, string>>, value: number): Series => ({
    labels: { __name__: metric, node: name, ...more },
    ...always,
    value,
  });
  return [
    show('kube_node_info', { provider_id: `id-${name}` }, 1),
    show('kube_node_status_capacity', { resource: 'cpu' }, cores),
    show('kube_node_status_capacity', { resource: 'memory' }, gib * GIB),
    show('node_cpu_hourly_cost', {}, usd.cores),
    show('node_ram_hourly_cost', {}, usd.gib),
  ];
}

function seriesOfLife({ pod, node, startMs, endMs, cores, gib }: Life): Series[] {
  const own = { namespace: 'shop', pod, uid: pod };
  const show = (
    metric: string,
    more: Readonly<Record<string, string>>,
    value: number,
    fromMs: number = startMs,
  ): Series => ({
    labels: { __name__: metric, ...own, ...more },
    fromMs,
    untilMs: endMs + LINGER_MS,
    value,
  });
  const contained = { container: 'app', node: node.name };
  return [
    show('kube_pod_info', { node: node.name }, 1),
    show('kube_pod_start_time', {}, startMs / 1000),
    show('kube_pod_completion_time', {}, endMs / 1000, endMs),
    show('kube_pod_container_resource_requests', { ...contained, resource: 'cpu' }, cores),
    show('kube_pod_container_resource_requests', { ...contained, resource: 'memory' }, gib * GIB),
  ];
}

/** A series, and from when on it is seen. */
interface Shown extends Series {
  /** As they are written. */
  readonly encoded: Uint8Array;
  readonly knownMs: number;
}

/** The store of a fleet: its series are made once, as each day that is built reads each metric. */
export class FleetStore {
  readonly #byMetric: ReadonlyMap<string, readonly Shown[]>;

  constructor({ nodes, lives, firstMs }: Fleet) {
    const shown = (series: readonly Series[], knownMs: number): Shown[] =>
      series.map((one) => ({ ...one, encoded: encodeLabels(one.labels), knownMs }));
    const all = [
      ...nodes.flatMap((node) => shown(seriesOfNode(node, firstMs), -Infinity)),
      ...lives.flatMap((life) => shown(seriesOfLife(life), life.knownMs)),
    ];
    const byMetric = new Map<string, Shown[]>();
    for (const one of all) {
      const metric = one.labels['__name__'] ?? '';
      byMetric.set(metric, [...(byMetric.get(metric) ?? []), one]);
    }
    this.#byMetric = byMetric;
  }

  /** The batches of a read, as far as samples have come by now. */
  *samplesOf({ metric, matchers }: Selection, range: TimeRange, nowMs: number): Generator<Batch> {
    const all = this.#byMetric.get(metric);
    if (all === undefined) return;
    const writer = new SamplesWriter(BATCH_BYTES);
    const matches = compileMatchers(matchers);
    for (const series of all) {
      if (series.knownMs > nowMs || !matches(series.labels)) continue;
      const gone = Math.ceil(series.untilMs / SCRAPE_MS);
      const first = Math.ceil(Math.max(series.fromMs, range.startMs) / SCRAPE_MS);
      const last = Math.min(gone, Math.floor(Math.min(range.endMs, nowMs) / SCRAPE_MS));
      if (last < first) continue;
      const write = (): boolean => {
        const block = writer.block(series.encoded, last - first + 1);
        if (block === undefined) return false;
        for (let i = 0; i <= last - first; i++) block.timesMs[i] = (first + i) * SCRAPE_MS;
        block.values.fill(series.value);
        if (last === gone) markStale(block.values, last - first);
        return true;
      };
      if (write()) continue;
      yield { encoding: 'samples', bytes: writer.take() };
      write();
    }
    if (writer.usedBytes > 0) yield { encoding: 'samples', bytes: writer.take() };
  }
}

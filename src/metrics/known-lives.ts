/**
 * A simulated store of pods with lifetimes known to the millisecond, for measuring accuracy: it has only
 * what kube-state-metrics and cAdvisor show of the pods at their scrapes.
 */
import { compileMatchers } from './matching.ts';
import { encodeLabels, markStale, SamplesWriter, type SamplesBlock } from './samples.ts';
import type { Batch, MetricsSource, Selection, TimeRange } from './source.ts';

/** A pod with one container, on a node of the same name. */
export interface KnownPod {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly cpuCores: number;
  readonly cpuUsage: KnownUsage;
  readonly ramBytes: number;
}

/** Usage that changes at whole minutes only. */
export interface KnownUsage {
  /** A whole minute, at or before the pod's start. */
  readonly fromMs: number;
  /** By minute from then on. */
  readonly cores: Float64Array;
}

export interface KnownLivesOptions {
  readonly scrapeMs: number;
  /** State metrics have each pod's start and completion; otherwise there are only samples. */
  readonly hasTimes: boolean;
}

/** A completed pod stays in the API for a while, and so in kube-state-metrics. */
const LINGER_MS = 300_000;
const MINUTE_MS = 60_000;
const BATCH_BYTES = 1 << 20;
const LONGEST_BLOCK_SAMPLES = 4096;

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly value: (timeMs: number) => number;
}

type Maker = (pod: KnownPod, options: KnownLivesOptions) => Series | undefined;

const METRICS: Readonly<Record<string, readonly Maker[]>> = {
  kube_pod_info: [(pod, options) => ofPod(pod, options, { node: 'node' })],
  kube_pod_owner: [
    (pod, options) => ofPod(pod, options, { owner_kind: 'Job', owner_name: `${pod.name}-job` }),
  ],
  kube_pod_start_time: [
    (pod, options) => (options.hasTimes ? ofPod(pod, options, {}, pod.startMs / 1000) : undefined),
  ],
  kube_pod_completion_time: [
    (pod, options) =>
      options.hasTimes
        ? { ...ofPod(pod, options, {}, pod.endMs / 1000), fromMs: pod.endMs }
        : undefined,
  ],
  kube_pod_container_resource_requests: [
    (pod, options) => request(pod, options, 'cpu', pod.cpuCores),
    (pod, options) => request(pod, options, 'memory', pod.ramBytes),
  ],
  container_cpu_usage_seconds_total: [(pod) => ({ ...running(pod), value: counterOf(pod) })],
  container_memory_working_set_bytes: [
    (pod) => ({ ...running(pod), value: () => pod.ramBytes / 2 }),
  ],
};

export function createKnownLives(
  pods: readonly KnownPod[],
  options: KnownLivesOptions,
): MetricsSource {
  return {
    name: 'a store of known lives',
    concurrentReads: 2,
    async *read(selection, range, signal) {
      const writer = new SamplesWriter(BATCH_BYTES);
      for (const series of matching(pods, options, selection)) {
        for (const write of blocks(series, range, options.scrapeMs)) {
          if (write(writer)) continue;
          yield full(writer);
          signal.throwIfAborted();
          write(writer);
        }
      }
      if (writer.usedBytes > 0) yield full(writer);
    },
  };
}

function full(writer: SamplesWriter): Batch {
  return { encoding: 'samples', bytes: writer.take() };
}

function* matching(
  pods: readonly KnownPod[],
  options: KnownLivesOptions,
  { metric, matchers }: Selection,
): Generator<Series> {
  const matches = compileMatchers(matchers);
  for (const pod of pods) {
    for (const make of METRICS[metric] ?? []) {
      const series = make(pod, options);
      if (series === undefined) continue;
      const labels = { ...series.labels, __name__: metric };
      if (matches(labels)) yield { ...series, labels };
    }
  }
}

function ofPod(
  { name, startMs, endMs }: KnownPod,
  { hasTimes }: KnownLivesOptions,
  labels: Readonly<Record<string, string>>,
  value: number = 1,
): Series {
  return {
    labels: { job: 'kube-state-metrics', namespace: 'known', pod: name, uid: name, ...labels },
    fromMs: startMs,
    untilMs: hasTimes ? endMs + LINGER_MS : endMs,
    value: () => value,
  };
}

function request(
  pod: KnownPod,
  options: KnownLivesOptions,
  resource: string,
  value: number,
): Series {
  return ofPod(pod, options, { container: 'app', node: 'node', resource }, value);
}

function running({ name, startMs, endMs }: KnownPod): Omit<Series, 'value'> {
  const labels = { job: 'cadvisor', namespace: 'known', pod: name, container: 'app' };
  return { labels, fromMs: startMs, untilMs: endMs };
}

/** CPU seconds used from the pod's start to a time. */
function counterOf({ cpuUsage: { fromMs, cores }, startMs }: KnownPod): (timeMs: number) => number {
  const before = new Float64Array(cores.length + 1);
  cores.forEach((used, minute) => (before[minute + 1] = (before[minute] ?? 0) + used * 60));
  const usedBy = (timeMs: number): number => {
    const minute = Math.floor((timeMs - fromMs) / MINUTE_MS);
    const beganMs = fromMs + minute * MINUTE_MS;
    return (before[minute] ?? 0) + ((cores[minute] ?? 0) * (timeMs - beganMs)) / 1000;
  };
  const usedAtStart = usedBy(startMs);
  return (timeMs) => usedBy(timeMs) - usedAtStart;
}

/** Scrapes of [from, until), then Prometheus' marker at the scrape that finds the series gone. */
function* blocks(
  series: Series,
  range: TimeRange,
  scrapeMs: number,
): Generator<(writer: SamplesWriter) => boolean> {
  const scrapeAt = (ms: number): number => Math.ceil(ms / scrapeMs);
  const gone = scrapeAt(series.untilMs);
  const born = scrapeAt(series.fromMs);
  if (born >= gone) return;
  const first = Math.max(born, scrapeAt(range.startMs));
  const last = Math.min(gone, Math.floor(range.endMs / scrapeMs));
  const labels = encodeLabels(series.labels);
  for (let scrape = first; scrape <= last; scrape += LONGEST_BLOCK_SAMPLES) {
    const samples = Math.min(LONGEST_BLOCK_SAMPLES, last - scrape + 1);
    yield (writer) => {
      const block = writer.block(labels, samples);
      if (block === undefined) return false;
      fill(block, series, scrape, scrapeMs);
      if (scrape + samples - 1 === gone) markStale(block.values, samples - 1);
      return true;
    };
  }
}

function fill(block: SamplesBlock, { value }: Series, scrape: number, scrapeMs: number): void {
  for (let i = 0; i < block.timesMs.length; i++) {
    const timeMs = (scrape + i) * scrapeMs;
    block.timesMs[i] = timeMs;
    block.values[i] = value(timeMs);
  }
}

/**
 * A metrics store that holds two pods for a day, scraped twice a minute, over the scripted store:
 * any metric's answer can be replaced by a failure.
 */
import { uncompress } from 'snappyjs';
import { encodeChunked } from '../stores/chunked-frames.ts';
import type { TestSeries } from '../stores/samples-encoding.ts';
import { answering, streaming, type Reply, type SeenRequest } from '../stores/scripted-store.ts';

const MINUTE_MS = 60_000;
/** The two pods' first and last sample. */
export const FIRST_MS: number = Date.UTC(2024, 4, 1);
export const LAST_MS: number = Date.UTC(2024, 4, 2);
/** An hour inside, as `window` has it. */
export const HOUR_WINDOW = '2024-05-01T10:00:00Z,2024-05-01T11:00:00Z';
/** What the clock of a server over this store shows. */
export const NOW = '2024-05-03T00:00:00Z';

const TIMES: readonly number[] = Array.from(
  { length: (LAST_MS - FIRST_MS) / (MINUTE_MS / 2) + 1 },
  (_, i) => FIRST_MS + i * (MINUTE_MS / 2),
);

type Labels = TestSeries['labels'];
type Value = (timeMs: number) => number;

/** A pod that asks for half a core and a GiB and uses a quarter of both. */
export function podSeries(pod: string, timestampsMs: readonly number[]): TestSeries[] {
  const series = (metric: string, labels: Labels, value: Value): TestSeries => ({
    labels: [['__name__', metric], ...labels],
    timestampsMs,
    values: timestampsMs.map(value),
  });
  const named: Labels = [
    ['namespace', 'team'],
    ['pod', pod],
    ['uid', `uid-of-${pod}`],
  ];
  const contained: Labels = [...named, ['container', 'app'], ['node', 'node-a']];
  const requests = 'kube_pod_container_resource_requests';
  return [
    series('kube_pod_info', [...named, ['node', 'node-a']], () => 1),
    series(requests, [...contained, ['resource', 'cpu']], () => 0.5),
    series(requests, [...contained, ['resource', 'memory']], () => 2 ** 30),
    series(
      'container_cpu_usage_seconds_total',
      contained,
      (timeMs) => (timeMs - FIRST_MS) / 1000 / 8,
    ),
    series('container_memory_working_set_bytes', contained, () => 2 ** 28),
  ];
}

function nameOf({ labels }: TestSeries): string {
  return labels.find(([name]) => name === '__name__')?.[1] ?? '';
}

/** Whole frames by metric. */
export type Frames = ReadonlyMap<string, Buffer>;

export function framesByMetric(series: readonly TestSeries[]): Frames {
  const of = (metric: string): TestSeries[] => series.filter((one) => nameOf(one) === metric);
  const metrics = [...new Set(series.map(nameOf))];
  return new Map(metrics.map((metric) => [metric, encodeChunked(of(metric))]));
}

const FRAMES = framesByMetric(['a', 'b'].flatMap((pod) => podSeries(pod, TIMES)));

/** Whole frames of one metric; none for metrics the store does not have. */
export function framesOf(metric: string): Buffer {
  return FRAMES.get(metric) ?? Buffer.alloc(0);
}

const OWN_METRICS = `prometheus_tsdb_lowest_timestamp ${FIRST_MS}\n`;

/** Answers remote reads; `replies` stand in for the metrics they are keyed by, `*` for all. */
export function podStore(
  replies: Readonly<Record<string, Reply>> = {},
  frames: Frames = FRAMES,
): Reply {
  return (response, request) => {
    if (request.path === '/metrics') return answering(200, OWN_METRICS)(response, request);
    const metrics = asksByOldNames(request) ? [] : metricsOf(request);
    const instead = metrics.map((metric) => replies[metric]).find((one) => one !== undefined);
    const own = streaming(...metrics.flatMap((metric) => frames.get(metric) ?? []));
    const reply = replies['*'] ?? instead ?? own;
    return reply(response, request);
  };
}

/**
 * The metrics a remote read asks for: its first matcher's value, behind a tag and a length of one
 * byte or two.
 */
export function metricsOf({ body }: SeenRequest): string[] {
  const [, named = ''] = /__name__.(?:[\x80-\xff].|.)([\w|]+)/s.exec(textOf(body)) ?? [];
  return named.split('|');
}

/** No series here has the labels of old cAdvisors. */
function asksByOldNames({ body }: SeenRequest): boolean {
  return /container_name|pod_name/.test(textOf(body));
}

function textOf(body: Buffer): string {
  return Buffer.from(uncompress(body)).toString('latin1');
}

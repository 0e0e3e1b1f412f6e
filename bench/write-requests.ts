/**
 * Requests of remote write 1.0 as a Prometheus sends them of a cluster: series of kube-state-metrics and
 * cAdvisor with their usual labels, 2,000 samples a request, a scrape of each series after the other.
 */
import { encodeLabels, snappy } from '../src/metrics/index.ts';

const SAMPLES = 2000;
const SCRAPE_MS = 30_000;

/** Metrics of a container, and whether they count up. */
const CADVISOR = [
  ['container_cpu_usage_seconds_total', 'counter'],
  ['container_cpu_cfs_throttled_periods_total', 'counter'],
  ['container_memory_working_set_bytes', 'gauge'],
  ['container_memory_rss', 'gauge'],
  ['container_memory_cache', 'gauge'],
  ['container_fs_usage_bytes', 'gauge'],
  ['container_fs_writes_bytes_total', 'counter'],
  ['container_threads', 'state'],
] as const;
const STATE_METRICS = [
  ['kube_pod_container_resource_requests', 'state'],
  ['kube_pod_container_resource_limits', 'state'],
  ['kube_pod_container_info', 'state'],
  ['kube_pod_container_status_running', 'state'],
  ['kube_pod_container_status_restarts_total', 'state'],
  ['kube_pod_status_phase', 'state'],
] as const;

export const METRICS: readonly string[] = [...CADVISOR, ...STATE_METRICS].map(([name]) => name);

interface Written {
  readonly labels: Uint8Array;
  readonly kind: 'counter' | 'gauge' | 'state';
  value: number;
}

export interface WriteRequests {
  readonly series: number;
  readonly samples: number;
  /** Compressed bodies; the samples of a series are in order in them. */
  readonly bodies: readonly Uint8Array[];
}

/** @param endMs of the last scrape */
export function writeRequests(containers: number, scrapes: number, endMs: number): WriteRequests {
  const series = Array.from({ length: containers }, (_, i) => seriesOf(i)).flat();
  const bodies: Uint8Array[] = [];
  for (let scrape = 0; scrape < scrapes; scrape++) {
    const timeMs = endMs - (scrapes - 1 - scrape) * SCRAPE_MS;
    for (let from = 0; from < series.length; from += SAMPLES)
      bodies.push(snappy(bodyOf(series.slice(from, from + SAMPLES), timeMs)));
  }
  return { series: series.length, samples: series.length * scrapes, bodies };
}

function seriesOf(index: number): Written[] {
  const pod = `checkout-${Math.floor(index / 20)}-${hex(index, 10)}-${hex(index * 7919, 5)}`;
  const namespace = `team-${index % 40}`;
  const node = `ip-10-0-${(index >> 4) % 200}-${index % 250}.eu-central-1.compute.internal`;
  const uid = `${hex(index, 8)}-${hex(index * 31, 4)}-4${hex(index, 3)}-${hex(index * 17, 12)}`;
  const container = `service-${index % 12}`;
  const cadvisor = CADVISOR.map(([name, kind]) => ({
    labels: encodeLabels({
      __name__: name,
      container,
      endpoint: 'https-metrics',
      id: `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${uid.replaceAll('-', '_')}.slice/cri-containerd-${hex(index * 104_729, 64)}.scope`,
      image: `registry.example.com/${namespace}/${container}@sha256:${hex(index % 12, 64)}`,
      instance: `10.0.${(index >> 4) % 200}.${index % 250}:10250`,
      job: 'kubelet',
      metrics_path: '/metrics/cadvisor',
      name: hex(index * 104_729, 64),
      namespace,
      node,
      pod,
      service: 'kube-prometheus-stack-kubelet',
    }),
    kind,
    value: Math.floor(random() * 1e9),
  }));
  const states = STATE_METRICS.map(([name, kind]) => ({
    labels: encodeLabels({
      __name__: name,
      container,
      endpoint: 'http',
      instance: '10.0.3.17:8080',
      job: 'kube-state-metrics',
      namespace,
      node,
      pod,
      resource: name.includes('resource') ? 'memory' : '',
      service: 'kube-prometheus-stack-kube-state-metrics',
      uid,
      unit: name.includes('resource') ? 'byte' : '',
    }),
    kind,
    value: name.includes('resource') ? 2 ** 28 : 1,
  }));
  return [...cadvisor, ...states];
}

function bodyOf(series: readonly Written[], timeMs: number): Uint8Array {
  const out = Buffer.allocUnsafe(series.reduce((sum, { labels }) => sum + labels.length + 32, 0));
  let at = 0;
  for (const one of series) {
    if (one.kind === 'counter') one.value += random() * 30;
    else if (one.kind === 'gauge') one.value += Math.floor((random() - 0.5) * 4096) * 4096;
    out[at++] = 0x0a;
    at = writeVarint(out, at, one.labels.length + 18);
    out.set(one.labels, at);
    at += one.labels.length;
    out[at++] = 0x12;
    out[at++] = 16;
    out[at++] = 0x09;
    at = out.writeDoubleLE(one.value, at);
    out[at++] = 0x10;
    at = writeVarint(out, at, timeMs);
  }
  return out.subarray(0, at);
}

function writeVarint(out: Buffer, at: number, value: number): number {
  let [next, rest] = [at, value];
  for (; rest > 127; rest = Math.floor(rest / 128)) out[next++] = (rest % 128) | 128;
  out[next++] = rest;
  return next;
}

function hex(seed: number, digits: number): string {
  let text = '';
  for (let i = 0; text.length < digits; i++)
    text += (Math.imul(seed + i + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
  return text.slice(0, digits);
}

let state = 12_345;

/** The same numbers each time, in [0, 1). */
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

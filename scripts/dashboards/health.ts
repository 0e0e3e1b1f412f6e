/** How prorata itself does. */
import type { Dashboard, Panel } from './panels.ts';

const HERE = 'instance=~"$instance"';
const shown = (name: string, filter = ''): string =>
  `${name}{${HERE}${filter === '' ? '' : `, ${filter}`}}`;
const rate = (name: string, filter = ''): string =>
  `rate(${shown(name, filter)}[$__rate_interval])`;
const REQUESTS = 'prorata_http_requests_total';
const quantile = (of: number, by: string): string =>
  `histogram_quantile(${of}, sum by (${by}) (${rate('prorata_http_request_duration_seconds_bucket')}))`;

// prettier-ignore
const NOW: readonly Panel[] = [
  { kind: 'stat', title: 'Servers', unit: 'short', width: 4, queries: [{ expr: `count(${shown('prorata_build_info')})`, legend: '' }],
    description: 'Servers whose /metrics is scraped now.' },
  { kind: 'stat', title: 'Answers with 5xx', unit: 'percentunit', width: 4, redFrom: 0.05, queries: [{ expr: `(sum(${rate(REQUESTS, 'class="5xx"')}) or vector(0)) / sum(${rate(REQUESTS)})`, legend: '' }],
    description: 'The part of requests that ended with a status of 500 and above: prorata, or what it reads, failed.' },
  { kind: 'stat', title: 'Oldest newest build', unit: 's', width: 4, redFrom: 21600, queries: [{ expr: `max(time() - ${shown('prorata_build_last_success_timestamp_seconds')})`, legend: '' }],
    description: 'How long ago a stored day was built or extended last, on the server where that is longest ago. By default today is extended every five minutes.' },
  { kind: 'stat', title: 'Days missing', unit: 'short', width: 4, queries: [{ expr: `sum(${shown('prorata_build_sets_wanted')} - ${shown('prorata_build_sets_done')})`, legend: '' }],
    description: 'Days that are to be stored and are not yet: they are built from today back.' },
  { kind: 'stat', title: 'Damaged sets', unit: 'short', width: 4, redFrom: 1, queries: [{ expr: `sum(${shown('prorata_stored_sets_damaged')})`, legend: '' }],
    description: 'Stored days whose newest bytes are damaged. prorata fsck tells which.' },
  { kind: 'stat', title: 'Costs left out', unit: 'short', width: 4, redFrom: 1, queries: [{ expr: `sum(${shown('prorata_cost_series_left_out')}) or vector(0)`, legend: '' }],
    description: 'Containers, volumes, claims, nodes and load balancers for which /metrics has no room: raise --cost-metrics-rows.' },
];

// prettier-ignore
const REQUEST_PANELS: readonly Panel[] = [
  { kind: 'timeseries', title: 'Requests, by route', unit: 'reqps', width: 12, isStacked: true, queries: [{ expr: `sum by (route) (${rate(REQUESTS)})`, legend: '{{route}}' }],
    description: 'Requests a second that ended. A path that is not there is the route none.' },
  { kind: 'timeseries', title: 'Requests, by class', unit: 'reqps', width: 12, isStacked: true, queries: [{ expr: `sum by (class) (${rate(REQUESTS)})`, legend: '{{class}}' }],
    description: 'By the first digit of the status; left: the client did not wait for an answer.' },
  { kind: 'timeseries', title: 'Latency', unit: 's', width: 12,
    description: 'From the head of a request to the end of its answer, over all routes: half, 95 % and 99 % of requests are faster. Values between bounds of the histogram are estimates.',
    queries: [0.5, 0.95, 0.99].map((of) => ({ expr: quantile(of, 'le'), legend: `p${of * 100}` })) },
  { kind: 'timeseries', title: 'Latency p95, by route', unit: 's', width: 12, queries: [{ expr: quantile(0.95, 'le, route'), legend: '{{route}}' }],
    description: 'How long requests of a route take at most, but for the slowest 5 %.' },
  { kind: 'timeseries', title: 'Requests in flight', unit: 'short', width: 12, queries: [{ expr: shown('prorata_http_requests_in_flight'), legend: '{{instance}}' }],
    description: 'Requests under way.' },
  { kind: 'timeseries', title: 'Bytes of answers', unit: 'Bps', width: 12, queries: [{ expr: `sum by (instance) (${rate('prorata_http_response_bytes_total')})`, legend: '{{instance}}' }],
    description: 'Bytes a second of the bodies of answers.' },
];

// prettier-ignore
const WORK: readonly Panel[] = [
  { kind: 'timeseries', title: 'Questions that run, by lane', unit: 'short', width: 12, queries: [{ expr: `sum by (lane) (${shown('prorata_lane_running')})`, legend: '{{lane}}' }],
    description: 'Questions that are being answered. Each lane has its own turns: heavy ones are computed from samples, cheap ones come from stored days.' },
  { kind: 'timeseries', title: 'Questions that wait, by lane', unit: 'short', width: 12, queries: [{ expr: `sum by (lane) (${shown('prorata_lane_waiting')})`, legend: '{{lane}}' }],
    description: 'Questions that wait for their turn.' },
  { kind: 'timeseries', title: 'Questions admitted, by lane', unit: 'ops', width: 12, queries: [{ expr: `sum by (lane) (${rate('prorata_lane_admitted_total')})`, legend: '{{lane}}' }],
    description: 'Questions a second that got their turn.' },
  { kind: 'timeseries', title: 'Refusals', unit: 'ops', width: 12,
    description: 'A second: questions that were told to come back, as too many waited; connections closed for heads that can be read in two ways; answers whose connection broke before their end.',
    queries: [
      { expr: `sum by (lane) (${rate('prorata_lane_refused_total')})`, legend: 'lane {{lane}}' },
      { expr: `sum(${rate('prorata_http_heads_refused_total')})`, legend: 'heads' },
      { expr: `sum(${rate('prorata_http_answers_cut_total')})`, legend: 'answers cut' },
    ] },
  { kind: 'timeseries', title: 'Tasks of workers', unit: 'short', width: 12,
    description: 'Tasks that workers have, and those that wait for a worker.',
    queries: [
      { expr: `sum(${shown('prorata_pool_tasks_running')})`, legend: 'running' },
      { expr: `sum(${shown('prorata_pool_tasks_waiting')})`, legend: 'waiting' },
    ] },
  { kind: 'timeseries', title: 'Time of workers, by task', unit: 'short', width: 12, isStacked: true, queries: [{ expr: `sum by (task) (${rate('prorata_pool_task_seconds_total')})`, legend: '{{task}}' }],
    description: 'Seconds of tasks a second: how many workers each kind of task keeps busy.' },
  { kind: 'timeseries', title: 'Tasks whose worker died', unit: 'ops', width: 12, queries: [{ expr: `sum by (task) (${rate('prorata_pool_tasks_failed_total')})`, legend: '{{task}}' }],
    description: 'A second. A worker that dies is started anew; its question fails.' },
  { kind: 'timeseries', title: 'How late the main thread is', unit: 's', width: 12,
    description: 'Within the last minute: a late main thread delays every answer.',
    queries: ['p50', 'p99', 'max'].map((of) => ({ expr: shown(`prorata_event_loop_delay_${of}_seconds`), legend: `${of} {{instance}}` })) },
];

// prettier-ignore
const MEMORY: readonly Panel[] = [
  { kind: 'timeseries', title: 'Memory of the process', unit: 'bytes', width: 12,
    description: 'Resident memory, and what --memory-limit permits.',
    queries: [
      { expr: `${shown('process_resident_memory_bytes')} and on (cluster, job, instance) prorata_build_info`, legend: 'resident {{instance}}' },
      { expr: shown('prorata_memory_limit_bytes'), legend: 'limit {{instance}}' },
    ] },
  { kind: 'timeseries', title: 'Arena', unit: 'bytes', width: 12,
    description: 'Memory of columns in use, and what they may take: questions that do not fit are refused with 422 or 503.',
    queries: [
      { expr: shown('prorata_arena_used_bytes'), legend: 'used {{instance}}' },
      { expr: shown('prorata_arena_limit_bytes'), legend: 'limit {{instance}}' },
    ] },
  { kind: 'timeseries', title: 'Processor time', unit: 'cores', width: 12, queries: [{ expr: `${rate('process_cpu_seconds_total')} and on (cluster, job, instance) prorata_build_info`, legend: '{{instance}}' }],
    description: 'Cores that all threads use.' },
  { kind: 'timeseries', title: 'Open descriptors', unit: 'short', width: 12,
    description: 'Open files and sockets, and how many may be open.',
    queries: [
      { expr: `${shown('process_open_fds')} and on (cluster, job, instance) prorata_build_info`, legend: 'open {{instance}}' },
      { expr: `${shown('process_max_fds')} and on (cluster, job, instance) prorata_build_info`, legend: 'limit {{instance}}' },
    ] },
  { kind: 'timeseries', title: 'Bytes of caches', unit: 'bytes', width: 12, isStacked: true, queries: [{ expr: `sum by (cache) (${shown('prorata_cache_bytes')})`, legend: '{{cache}}' }],
    description: 'What each cache holds.' },
  { kind: 'timeseries', title: 'Hits of caches', unit: 'percentunit', width: 12, queries: [{ expr: `sum by (cache) (${rate('prorata_cache_hits_total')}) / (sum by (cache) (${rate('prorata_cache_hits_total')} + ${rate('prorata_cache_misses_total')}) > 0)`, legend: '{{cache}}' }],
    description: 'The part of look-ups that found their value, of caches that were asked.' },
];

// prettier-ignore
const STORES: readonly Panel[] = [
  { kind: 'timeseries', title: 'Samples read, by reader', unit: 'ops', width: 12, queries: [{ expr: `sum by (reader) (${rate('prorata_store_samples_total')})`, legend: '{{reader}}' }],
    description: 'Samples a second read from the metrics store, by how they are read.' },
  { kind: 'timeseries', title: 'Reads of the metrics store', unit: 'ops', width: 12,
    description: 'A second: reads, those that failed, and calls that were tried again.',
    queries: [
      { expr: `sum(${rate('prorata_store_reads_total')})`, legend: 'reads' },
      { expr: `sum(${rate('prorata_store_read_errors_total')})`, legend: 'failed' },
      { expr: `sum(${rate('prorata_store_read_retries_total')})`, legend: 'tried again' },
    ] },
  { kind: 'timeseries', title: 'How long a read takes', unit: 's', width: 12, queries: [{ expr: `sum(${rate('prorata_store_read_seconds_total')}) / (sum(${rate('prorata_store_reads_total')}) > 0)`, legend: 'mean' }],
    description: 'The mean time of a read of the metrics store, with the time that its samples wait to be taken.' },
  { kind: 'timeseries', title: 'Bytes read', unit: 'Bps', width: 12, queries: [{ expr: `sum(${rate('prorata_store_read_bytes_total')})`, legend: 'bytes' }],
    description: 'Bytes of samples a second, as they come from the metrics store.' },
  { kind: 'timeseries', title: 'Builds', unit: 'short', width: 12,
    description: 'Days that were built or extended in the last hour, builds that failed, and jobs that failed last time and are tried again.',
    queries: [
      { expr: `sum(increase(${shown('prorata_builds_total')}[1h]))`, legend: 'built' },
      { expr: `sum(increase(${shown('prorata_builds_failed_total')}[1h]))`, legend: 'failed' },
      { expr: `sum(${shown('prorata_build_jobs_failing')})`, legend: 'failing now' },
    ] },
  { kind: 'timeseries', title: 'Days stored and wanted', unit: 'short', width: 12,
    description: 'Days that are stored, and those that there are to be.',
    queries: [
      { expr: shown('prorata_build_sets_done'), legend: 'stored {{instance}}' },
      { expr: shown('prorata_build_sets_wanted'), legend: 'wanted {{instance}}' },
    ] },
  { kind: 'timeseries', title: 'Bytes stored', unit: 'bytes', width: 12, isStacked: true, queries: [{ expr: `sum by (kind) (${shown('prorata_stored_bytes')})`, legend: '{{kind}}' }],
    description: 'Bytes of stored days, by kind of set.' },
  { kind: 'timeseries', title: 'Disk of the data folder', unit: 'bytes', width: 12,
    description: 'Free, and the size of the disk. Without --data-dir there is none.',
    queries: [
      { expr: shown('prorata_disk_free_bytes'), legend: 'free {{instance}}' },
      { expr: shown('prorata_disk_size_bytes'), legend: 'size {{instance}}' },
    ] },
  { kind: 'timeseries', title: 'Sets and damaged files', unit: 'short', width: 12,
    description: 'Stored sets by kind, and files that were set aside in quarantine as they were damaged.',
    queries: [
      { expr: `sum by (kind) (${shown('prorata_stored_sets')})`, legend: '{{kind}}' },
      { expr: `sum(${shown('prorata_quarantined_files')})`, legend: 'quarantined' },
    ] },
  { kind: 'timeseries', title: 'Costs in /metrics', unit: 's', width: 12,
    description: 'How long the newest costs in /metrics took to compute, and how many could not be computed in the last hour.',
    queries: [
      { expr: shown('prorata_cost_series_seconds'), legend: 'seconds {{instance}}' },
      { expr: `increase(${shown('prorata_cost_series_failures_total')}[1h])`, legend: 'failures {{instance}}' },
    ] },
];

export const HEALTH: Dashboard = {
  uid: 'prorata-health',
  title: 'prorata / Health',
  description: 'How prorata itself does: requests, queues, memory, reads, stored days.',
  variables: [
    {
      name: 'instance',
      label: 'Server',
      values: 'label_values(prorata_build_info, instance)',
      isMany: true,
    },
  ],
  rows: [
    { title: 'Now', panels: NOW },
    { title: 'Requests', panels: REQUEST_PANELS },
    { title: 'Queues and workers', panels: WORK },
    { title: 'Memory, processor, caches', panels: MEMORY },
    { title: 'Metrics store and stored days', panels: STORES },
  ],
};

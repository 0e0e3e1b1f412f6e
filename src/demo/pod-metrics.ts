/** The demo store's metrics of pods and their owners. */
import type { Span } from './changes.ts';
import { isRun, replicaSetsOf, type DemoPod } from './pods.ts';
import { fleetPods, fleetRuns, kubeState, type DemoFleet, type DemoSeries } from './series.ts';
import type { Labels } from '../metrics/index.ts';

/** Undefined stands for a pod without a series of the metric, so that a read can rest there. */
export type SeriesMaker = (
  fleet: DemoFleet,
  range: Span,
) => Generator<DemoSeries | undefined, void>;

interface PodSeries {
  readonly startMs?: number;
  readonly labels?: Labels;
  readonly value?: number;
}

/** One metric of kube-state-metrics about pods: their own labels, and what `describe` adds. */
function aboutPods(describe: (pod: DemoPod) => PodSeries, pods = fleetPods): SeriesMaker {
  return function* (fleet, range) {
    for (const pod of pods(fleet, range)) {
      const { labels, value = 1, startMs = pod.startMs } = describe(pod);
      yield {
        startMs,
        endMs: pod.goneMs,
        scraped: kubeState(fleet, pod.workload.cluster),
        labels: { ...podLabels(pod), ...labels },
        value,
      };
    }
  };
}

export function podLabels({ workload, name, uid }: DemoPod): Labels {
  return { namespace: workload.namespace, pod: name, uid };
}

function infoLabels({ node, key, ownerKind, ownerName, workload }: DemoPod): Labels {
  return {
    node: node.name,
    host_ip: node.ip,
    pod_ip: `10.${100 + (key & 15)}.${(key >>> 8) & 255}.${(key >>> 16) & 255}`,
    created_by_kind: ownerKind,
    created_by_name: ownerName,
    host_network: String(workload.name === 'kube-proxy'),
  };
}

function ownLabels({ workload, version, templateHash, ownerName }: DemoPod): Labels {
  const { cluster, kind, name, team } = workload;
  return {
    label_app: name,
    label_team: team,
    label_env: cluster,
    label_version: version,
    ...(isRun(workload) ? { label_job_name: ownerName } : {}),
    ...(kind === 'Deployment' ? { label_pod_template_hash: templateHash } : {}),
  };
}

/** Who is charged within the organisation, told by most but not all. */
const COST_CENTERS: Readonly<Record<string, string>> = {
  storefront: 'cc-1100',
  payments: 'cc-1200',
  catalog: 'cc-1100',
  'data-platform': 'cc-2100',
  'machine-learning': 'cc-2200',
};

function ownAnnotations({ workload }: DemoPod): Labels {
  const costCenter = COST_CENTERS[workload.team];
  return {
    ...(costCenter === undefined ? {} : { annotation_cost_center: costCenter }),
    ...(isRun(workload) ? {} : { annotation_prometheus_io_scrape: 'true' }),
  };
}

/** As kube-state-metrics has it: a series of each phase, 1 for the one that the pod is in. */
const phases: SeriesMaker = function* (fleet, range) {
  for (const pod of fleetPods(fleet, range)) {
    const { startMs, goneMs: endMs, workload } = pod;
    const scraped = kubeState(fleet, workload.cluster);
    const since: Readonly<Record<string, number>> = {
      Pending: Infinity,
      Running: startMs,
      Succeeded: isRun(workload) ? pod.endMs : Infinity,
      Failed: Infinity,
      Unknown: Infinity,
    };
    for (const [phase, sinceMs] of Object.entries(since)) {
      const untilMs = phase === 'Running' ? (since['Succeeded'] ?? Infinity) : Infinity;
      const labels = { ...podLabels(pod), phase };
      const value = isSince(sinceMs, untilMs, pod);
      yield { startMs, endMs, scraped, labels, value };
    }
  }
};

function isSince(sinceMs: number, untilMs: number, pod: DemoPod): DemoSeries['value'] {
  if (sinceMs >= pod.goneMs) return 0;
  if (sinceMs <= pod.startMs && untilMs >= pod.goneMs) return 1;
  return () => (timesMs, out) => {
    for (let i = 0; i < timesMs.length; i++) {
      const timeMs = timesMs[i] ?? 0;
      out[i] = timeMs >= sinceMs && timeMs < untilMs ? 1 : 0;
    }
  };
}

/** Replica sets and jobs, whom an owner stands above or none does. */
function ownedBy(kind: string, name: string): Labels {
  const isController = kind === '' ? '' : 'true';
  const [owner_kind, owner_name, owner_is_controller] = [kind, name, isController].map(
    (text) => text || '<none>',
  );
  return {
    owner_kind: owner_kind ?? '',
    owner_name: owner_name ?? '',
    owner_is_controller: owner_is_controller ?? '',
  };
}

const replicaSetOwners: SeriesMaker = function* (fleet, range) {
  for (const placed of fleet.placed)
    for (const { name, ...span } of replicaSetsOf(placed, range)) {
      const { namespace, cluster, name: owner } = placed.workload;
      const labels = { namespace, replicaset: name, ...ownedBy('Deployment', owner) };
      yield { ...span, labels, scraped: kubeState(fleet, cluster), value: 1 };
    }
};

const jobOwners: SeriesMaker = function* (fleet, range) {
  for (const { workload, ownerName, startMs, goneMs } of fleetRuns(fleet, range)) {
    const { namespace, cluster, kind, name } = workload;
    const owner = kind === 'CronJob' ? ownedBy(kind, name) : ownedBy('', '');
    const labels = { namespace, job_name: ownerName, ...owner };
    yield { startMs, endMs: goneMs, labels, scraped: kubeState(fleet, cluster), value: 1 };
  }
};

export const POD_METRICS: Readonly<Record<string, SeriesMaker>> = {
  kube_pod_info: aboutPods((pod) => ({ labels: infoLabels(pod) })),
  kube_pod_start_time: aboutPods((pod) => ({ value: pod.startMs / 1000 })),
  kube_pod_completion_time: aboutPods(
    ({ endMs }) => ({ startMs: endMs, value: endMs / 1000 }),
    fleetRuns,
  ),
  kube_pod_status_phase: phases,
  kube_pod_owner: aboutPods((pod) => ({ labels: ownedBy(pod.ownerKind, pod.ownerName) })),
  kube_pod_labels: aboutPods((pod) => ({ labels: ownLabels(pod) })),
  kube_pod_annotations: aboutPods((pod) => ({ labels: ownAnnotations(pod) })),
  kube_replicaset_owner: replicaSetOwners,
  kube_job_owner: jobOwners,
};

/** The demo store's metrics of containers: their state, their requests, what they use. */
import type { Span } from './changes.ts';
import { containersOf, type DemoContainer } from './containers.ts';
import type { ContainerSpec } from './fleet.ts';
import { hashText, uuid } from './hash.ts';
import { podLabels, type SeriesMaker } from './pod-metrics.ts';
import type { DemoPod } from './pods.ts';
import {
  cadvisor,
  fleetPods,
  gpuExporter,
  kubeState,
  type DemoFleet,
  type DemoSeries,
} from './series.ts';
import { cpuCounter, gpuActivity, workingSet, type Sampler, type UsageCourse } from './usage.ts';
import type { Labels } from '../metrics/index.ts';

const containerInfo: SeriesMaker = function* (fleet, range) {
  for (const [pod, run] of containerRuns(fleet, range)) {
    const image = imageOf(pod, run.spec);
    const labels = {
      container: run.spec.name,
      container_id: `containerd://${run.id}`,
      image,
      image_spec: image,
      image_id: `${image}@sha256:${run.id}`,
    };
    yield kubeStateSeries(fleet, pod, labels, { startMs: run.startMs, endMs: run.lastMs }, 1);
  }
};

/** One series a container, whose value moves with each restart. */
const stateStarted: SeriesMaker = function* (fleet, range) {
  for (const pod of fleetPods(fleet, range)) {
    const runs = containersOf(pod);
    for (const spec of pod.workload.containers) {
      const own = runs.filter((run) => run.spec === spec);
      const [first] = own;
      if (first === undefined) continue;
      const span = { startMs: first.startMs, endMs: pod.goneMs };
      yield kubeStateSeries(fleet, pod, { container: spec.name }, span, startedAt(own));
    }
  }
};

function startedAt(runs: readonly DemoContainer[]): number | (() => Sampler) {
  const [only, ...further] = runs.map(({ startMs }) => startMs);
  if (further.length === 0) return (only ?? 0) / 1000;
  return () => (timesMs, out) => {
    for (let i = 0; i < timesMs.length; i++) {
      const timeMs = timesMs[i] ?? 0;
      out[i] = (further.findLast((startMs) => startMs <= timeMs) ?? only ?? 0) / 1000;
    }
  };
}

const resourceRequests: SeriesMaker = function* (fleet, range) {
  for (const pod of fleetPods(fleet, range))
    for (const spec of pod.workload.containers)
      for (const { resource, unit, amount } of requestsOf(spec)) {
        const labels = { container: spec.name, node: pod.node.name, resource, unit };
        const span = { startMs: pod.startMs, endMs: pod.goneMs };
        yield kubeStateSeries(fleet, pod, labels, span, amount);
      }
};

function requestsOf({ requestCores, requestRamBytes, requestGpus }: ContainerSpec): readonly {
  readonly resource: string;
  readonly unit: string;
  readonly amount: number;
}[] {
  return [
    { resource: 'cpu', unit: 'core', amount: requestCores },
    { resource: 'memory', unit: 'byte', amount: requestRamBytes },
    { resource: 'nvidia_com_gpu', unit: 'integer', amount: requestGpus },
  ].filter(({ amount }) => amount > 0);
}

/** A metric of cAdvisor. */
function used(sampler: (course: UsageCourse) => Sampler): SeriesMaker {
  return function* (fleet, range) {
    for (const [pod, run] of containerRuns(fleet, range)) {
      const { key, startMs, endMs, spec } = run;
      const isDaily = pod.workload.kind === 'Deployment';
      yield {
        startMs,
        endMs,
        scraped: cadvisor(fleet, pod.node),
        labels: cadvisorLabels(pod, run),
        value: () => sampler({ key, startMs, spec, isDaily }),
      };
    }
  };
}

/** A series a GPU. */
const gpuActive: SeriesMaker = function* (fleet, range) {
  for (const [pod, run] of containerRuns(fleet, range)) {
    if (run.spec.requestGpus === 0) yield undefined;
    for (let gpu = 0; gpu < run.spec.requestGpus; gpu++) {
      const { startMs, endMs, spec } = run;
      const key = hashText(`${run.id}/${gpu}`, fleet.seed);
      const labels = {
        gpu: String(gpu),
        UUID: `GPU-${uuid(hashText(`${pod.node.name}/${gpu}`, fleet.seed))}`,
        device: `nvidia${gpu}`,
        modelName: 'NVIDIA A10G',
        Hostname: pod.node.name,
        exported_namespace: pod.workload.namespace,
        exported_pod: pod.name,
        exported_container: spec.name,
      };
      const scraped = gpuExporter(fleet, pod.node);
      const value = (): Sampler => gpuActivity({ key, startMs, spec, isDaily: false });
      yield { startMs, endMs, scraped, labels, value };
    }
  }
};

function cadvisorLabels(pod: DemoPod, { spec, id }: DemoContainer): Labels {
  const slice = `kubepods-burstable-pod${pod.uid.replaceAll('-', '_')}.slice`;
  return {
    namespace: pod.workload.namespace,
    pod: pod.name,
    container: spec.name,
    id: `/kubepods.slice/kubepods-burstable.slice/${slice}/cri-containerd-${id}.scope`,
    name: id,
    image: imageOf(pod, spec),
  };
}

function imageOf(pod: DemoPod, spec: ContainerSpec): string {
  return `${spec.image}:${pod.version}`;
}

/** Runs that are told of at some time of `range`: a pod may have had more before and after. */
function* containerRuns(
  fleet: DemoFleet,
  range: Span,
): Generator<readonly [DemoPod, DemoContainer], void> {
  for (const pod of fleetPods(fleet, range))
    for (const run of containersOf(pod))
      if (run.lastMs > range.startMs && run.startMs < range.endMs) yield [pod, run];
}

function kubeStateSeries(
  fleet: DemoFleet,
  pod: DemoPod,
  labels: Labels,
  span: Span,
  value: DemoSeries['value'],
): DemoSeries {
  const scraped = kubeState(fleet, pod.workload.cluster);
  return { ...span, scraped, labels: { ...podLabels(pod), ...labels }, value };
}

export const CONTAINER_METRICS: Readonly<Record<string, SeriesMaker>> = {
  kube_pod_container_info: containerInfo,
  kube_pod_container_state_started: stateStarted,
  kube_pod_container_resource_requests: resourceRequests,
  container_cpu_usage_seconds_total: used(cpuCounter),
  container_memory_working_set_bytes: used(workingSet),
  DCGM_FI_PROF_GR_ENGINE_ACTIVE: gpuActive,
};

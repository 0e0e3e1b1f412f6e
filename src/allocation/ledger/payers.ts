/** Who can be charged with volumes and load balancers, and in which rows of the ledger. */
import { isSeen } from '../inventory/coverage.ts';
import { joined } from '../row/joined.ts';
import type { RowLayout } from './row-layout.ts';
import type { Workload } from './workloads.ts';
import { UNMOUNTED } from '../row/row-kinds.ts';

/** What decides which rows are shown. */
export interface ShownOptions {
  /** Bounds of the sets, ascending: set s is [setsMs[s], setsMs[s + 1]). */
  readonly setsMs: readonly number[];
  /** 0 exact, else the grid's distance. */
  readonly resolutionMs: number;
}

/** Pods are numbered, also the unmounted; containers have their places among the workloads. */
export class Payers {
  /** Pods with the places of their containers among the workloads. */
  readonly pods: readonly (readonly [pod: Workload['pod'], places: readonly number[]])[];
  readonly #workloads: readonly Workload[];
  readonly #layout: RowLayout;
  readonly #options: ShownOptions;
  /** Numbers of pods, by `cluster\0namespace`. */
  readonly #unmounted: Map<string, number> = new Map();

  constructor(workloads: readonly Workload[], layout: RowLayout, options: ShownOptions) {
    const ofPod = new Map<Workload['pod'], number[]>();
    workloads.forEach(({ pod, container }, i) => {
      if (pod.mayHaveRun) return;
      const places = ofPod.get(pod) ?? [];
      if (places.length === 0 && container === UNMOUNTED) {
        this.#unmounted.set(joined(pod.cluster, pod.namespace), ofPod.size);
      }
      ofPod.set(pod, places);
      places.push(i);
    });
    this.pods = [...ofPod];
    this.#workloads = workloads;
    this.#layout = layout;
    this.#options = options;
  }

  /** The pod that pays for what no pod mounts: the claims' namespace, or '' for the cluster. */
  unmounted(cluster: string, namespace: string): number {
    const pod = this.#unmounted.get(joined(cluster, namespace || UNMOUNTED));
    if (pod === undefined) throw new Error(`BUG: nobody pays for volumes of ${cluster}`);
    return pod;
  }

  /** The place of the container that pays for what nobody in the cluster uses. */
  orphanage(cluster: string): number {
    const place = this.pods[this.unmounted(cluster, '')]?.[1][0];
    if (place === undefined) throw new Error(`BUG: the unmounted of ${cluster} has no container`);
    return place;
  }

  /**
   * Rows of the pod's containers that are shown in the set: its share is divided evenly among them.
   * Where none is, as when no point of the grid saw the pod, it is as if the pod had not been.
   */
  rowsOf(payer: number, set: number): readonly number[] {
    const [pod, places = []] = this.pods[payer] ?? [];
    const rows = places.flatMap((place) => this.#rowIfShown(place, set));
    if (rows.length > 0 || !pod) return rows;
    const instead = this.unmounted(pod.cluster, pod.namespace);
    if (instead === payer) throw new Error(`BUG: nobody is shown to pay in set ${set}`);
    return this.rowsOf(instead, set);
  }

  /** The row of one container, or of the cluster's unmounted where it is not shown in the set. */
  rowOf(place: number, set: number): number {
    const own = this.#rowIfShown(place, set)[0];
    const cluster = this.#workloads[place]?.pod.cluster ?? '';
    const row = own ?? this.rowsOf(this.unmounted(cluster, ''), set)[0];
    if (row === undefined) throw new Error(`BUG: nobody is shown to pay in set ${set}`);
    return row;
  }

  #rowIfShown(place: number, set: number): number[] {
    const { setsMs, resolutionMs } = this.#options;
    const range = this.#layout.ranges[place];
    const at = set - (range?.firstSet ?? 0);
    if (!range || at < 0 || at >= range.sets) return [];
    const own = this.#workloads[place]?.stretches ?? [];
    const span = { startMs: setsMs[set] ?? NaN, endMs: setsMs[set + 1] ?? NaN, resolutionMs };
    return isSeen(own, span) ? [range.row + at] : [];
  }
}

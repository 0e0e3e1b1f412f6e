/**
 * A cluster that follows its plan by a clock that a test moves: the API server and the kubelets answer
 * over real HTTP with what there is at that time.
 *
 *     advance(to) ─► changes up to then, in order, one second after the other
 *                    ├─► API server: lists, watches, bookmarks, refusals by plan
 *                    └─► kubelets: counters and gauges as of now
 */
import { SimulatedStore } from '../../../src/demo/index.ts';
import { collectionPath, KINDS, type Kind } from '../../../src/cluster/index.ts';
import type { Right } from '../cluster-rights.ts';
import {
  startScriptedCluster,
  type ScriptedCluster,
  type SeenCall,
  type Trouble,
} from '../servers/scripted-cluster.ts';
import { startKubelets, type KubeletOptions, type Kubelets } from './kubelets.ts';
import type { ClusterPlan } from './plan.ts';
import { asStored, type PlainObject } from './plain-object.ts';
import { changeTimesMs, podObject } from './pod-object.ts';
import { nodeObject, standingObjects } from './standing-objects.ts';

export interface SimulatedClusterOptions extends Pick<KubeletOptions, 'tls' | 'furtherMetrics'> {
  /** What fails at the kubelets; absent: nothing. */
  readonly kubelets?: KubeletOptions['script'];
  /** What fails at the API server. */
  readonly api?: (call: SeenCall, nowMs: number) => Trouble;
  readonly moments?: readonly Moment[];
  /** What the account may do; absent: what any manifest permits. */
  readonly grants?: readonly Right[];
  /** How many changes the API server remembers. */
  readonly historyChanges?: number;
}

/** `cut`: the API server resets all connections; `forgets`: it also loses its history. */
export interface Moment {
  readonly atMs: number;
  readonly does: 'cut' | 'forgets';
}

export interface SimulatedCluster {
  readonly store: SimulatedStore;
  readonly api: ScriptedCluster;
  readonly kubelets: Kubelets;
  nowMs(): number;
  /** When something changes next, or watches tell that nothing did. */
  nextChangeMs(): number;
  /** Moves the clock, and makes all changes up to then. */
  advance(toMs: number): void;
  /** Every watch that is open has what was changed so far. */
  hasTold(): boolean;
  stop(): Promise<void>;
}

/** Between bookmarks of a quiet watch, which a client takes for broken when it is silent for long. */
const BOOKMARKS_MS = 45_000;

interface Change {
  readonly atMs: number;
  readonly kind: Kind;
  readonly apply: (store: SimulatedStore) => void;
}

/** The clock stands at the plan's start, with all that there is then. */
export async function startSimulatedCluster(
  plan: ClusterPlan,
  options: SimulatedClusterOptions = {},
): Promise<SimulatedCluster> {
  let nowMs = plan.startMs;
  const clock = { nowMs: () => nowMs };
  const {
    kubelets: kubeletScript,
    api: troubles,
    historyChanges,
    moments = [],
    ...others
  } = options;
  const kubelets = await startKubelets(plan, {
    ...clock,
    ...others,
    ...(kubeletScript && { script: kubeletScript }),
  });
  const store = new SimulatedStore({ ...clock, ...(historyChanges && { historyChanges }) });
  const changes = changesOf(plan, kubelets);
  const watches = new Watches();
  const faults = moments.toSorted((a, b) => a.atMs - b.atMs);
  let [done, failed] = [0, 0];
  let wokenMs = plan.startMs;
  const advance = (toMs: number): void => {
    for (
      let next = changes[done];
      next !== undefined && next.atMs <= toMs;
      next = changes[++done]
    ) {
      nowMs = Math.max(nowMs, next.atMs);
      next.apply(store);
      watches.changed(next.kind, store.version);
    }
    nowMs = Math.max(nowMs, toMs);
    for (let next = faults[failed]; next && next.atMs <= toMs; next = faults[++failed]) {
      if (next.does === 'forgets') store.compact();
      api.cut();
    }
    if (nowMs < wokenMs + BOOKMARKS_MS) return;
    store.wake();
    wokenMs = nowMs;
  };
  advance(plan.startMs);
  const script = (call: SeenCall): Trouble => {
    watches.begin(call);
    return troubles?.(call, nowMs);
  };
  const api = await startScriptedCluster(store, script, {
    ...others,
    onChunk: (call, chunk) => watches.wrote(call, chunk),
    onEnd: (call) => watches.end(call),
  });
  return {
    store,
    api,
    kubelets,
    ...clock,
    nextChangeMs: () => {
      const plannedMs = [changes[done], faults[failed]].map((next) => next?.atMs ?? Infinity);
      return Math.min(wokenMs + BOOKMARKS_MS, ...plannedMs);
    },
    advance,
    hasTold: () => watches.areUpToDate,
    async stop() {
      await Promise.all([api.stop(), kubelets.stop()]);
    },
  };
}

/** How far each open watch has got. */
class Watches {
  readonly #open: Map<SeenCall, { readonly path: string; version: number }> = new Map();
  readonly #changed: Map<string, number> = new Map();

  begin(call: SeenCall): void {
    const { pathname, searchParams } = new URL(call.path, 'http://here');
    if (searchParams.get('watch') !== 'true') return;
    this.#open.set(call, { path: pathname, version: Number(searchParams.get('resourceVersion')) });
  }

  wrote(call: SeenCall, chunk: Uint8Array): void {
    const watch = this.#open.get(call);
    const [, version] = /"resourceVersion":"(\d+)"/.exec(Buffer.from(chunk).toString()) ?? [];
    if (watch && version) watch.version = Math.max(watch.version, Number(version));
  }

  end(call: SeenCall): void {
    this.#open.delete(call);
  }

  changed(kind: Kind, version: number): void {
    this.#changed.set(collectionPath(kind), version);
  }

  get areUpToDate(): boolean {
    return [...this.#open.values()].every(
      ({ path, version }) => version >= (this.#changed.get(path) ?? 0),
    );
  }
}

interface Named {
  readonly name: string;
  readonly namespace?: string;
}

/** In order of time; what goes makes room for what comes. */
function changesOf(plan: ClusterPlan, kubelets: Kubelets): Change[] {
  const put = (atMs: number, kind: string, object: () => PlainObject): Change => ({
    atMs,
    kind: asKind(kind),
    apply: (store) => void store.put(asKind(kind), asStored(object())),
  });
  const remove = (atMs: number, kind: string, { name, namespace = '' }: Named): Change => ({
    atMs,
    kind: asKind(kind),
    apply: (store) => store.remove(asKind(kind), { name, namespace }),
  });
  const standing = standingObjects(plan).map(({ kind, object }) => put(0, kind, () => object));
  const nodes = plan.nodes.flatMap((node) => {
    const object = (): PlainObject => nodeObject(node, kubelets.place(node));
    return [remove(node.endMs, 'Node', node), put(node.startMs, 'Node', object)];
  });
  const pods = plan.pods.flatMap((pod) => [
    remove(pod.removedMs, 'Pod', pod),
    ...changeTimesMs(pod).map((atMs) => put(atMs, 'Pod', () => podObject(pod, atMs))),
  ]);
  return [...standing, ...nodes, ...pods]
    .filter(({ atMs, kind }) => atMs < Infinity && KINDS.includes(kind))
    .toSorted((a, b) => a.atMs - b.atMs);
}

/** Kinds of the simulated API are those that the client of prorata knows. */
function asKind(kind: string): Kind {
  return kind as Kind;
}

/**
 * Follows the objects of a cluster and tells them as samples of kube-state-metrics' series: starts, ends
 * and amounts as the API has them, also of pods that came and went between two takings.
 */
import { setMaxListeners } from 'node:events';
import type { ClusterApi, FollowOptions } from '../../cluster/index.ts';
import type { Sample } from '../series.ts';
import { Changes } from './changes.ts';
import { ObjectsOfKind, type KindFigures } from './followed-kind.ts';
import { FOLLOWED } from './kinds.ts';
import type { AgentNode } from './node-series.ts';

export interface ObjectFacts {
  /**
   * All samples as of `timeMs`, in a stable order: first what changed since they were last taken, at the
   * times of the changes, then the state. An end marker may be a millisecond later. Each change is told once: who takes samples sends them.
   * @param timeMs later than that of the call before
   * @throws what ended the following, which is an error of this program
   */
  samples(timeMs: number): Iterable<Sample>;
  /** Every kind was listed. */
  readonly isComplete: boolean;
  nodes(): readonly AgentNode[];
  figures(): ObjectFigures;
}

export interface ObjectFigures {
  readonly kinds: readonly KindFigures[];
  /** Changes that pushed out earlier ones because samples were not taken for long. */
  readonly lostChanges: number;
}

export interface FollowObjectsOptions {
  /** Follows what is of this node alone: its pods and itself. */
  readonly node?: string;
  /** Ends the following. */
  readonly signal: AbortSignal;
  readonly nowMs?: () => number;
  readonly pause?: FollowOptions<unknown>['pause'];
}

/** Begins to follow. It is complete later, and goes on through failures of the API. */
export async function followObjects(
  api: ClusterApi,
  { node, nowMs = Date.now, ...options }: FollowObjectsOptions,
): Promise<ObjectFacts> {
  const changes = new Changes();
  const kinds = FOLLOWED.filter(({ ofNode }) => node === undefined || ofNode !== undefined).map(
    (one) => new ObjectsOfKind(one),
  );
  const own = signalBelow(options.signal);
  let failure: unknown;
  for (const kind of kinds) {
    kind
      .follow(api, changes, { node, nowMs, ...options, signal: own })
      .catch((error: unknown) => (failure = error));
  }
  return {
    samples(timeMs) {
      if (failure !== undefined) throw failure;
      return samplesAt(kinds, changes.take(timeMs), timeMs);
    },
    get isComplete() {
      return kinds.every(({ isListed }) => isListed);
    },
    nodes: () => kinds.flatMap((kind) => Array.from(kind.all()).flatMap((held) => held.node ?? [])),
    figures: () => ({ kinds: kinds.map((kind) => kind.figures()), lostChanges: changes.lost }),
  };
}

/** Each kind listens to it: more than Node.js takes for a mistake. */
function signalBelow(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}

function* samplesAt(
  kinds: readonly ObjectsOfKind[],
  changed: Iterable<Sample>,
  timeMs: number,
): Generator<Sample, void> {
  yield* changed;
  for (const kind of kinds)
    for (const { series } of kind.all())
      for (let i = 0; i < series.size; i++)
        yield { labels: series.labels(i), timeMs, value: series.value(i) };
}

/**
 * Usage at times in which kube-state-metrics shows no pod that has it: the exporter, or the shard that has the
 * pod, was down. What the pod requested then is unknown.
 */
import { IDENTITY, MeterSpans, SEGMENT, type Arena } from '../../columnar/index.ts';
import type { Resource } from '../inventory/inventory.ts';
import { BY_SAMPLES, UNSEEN_MS, type Stretch } from '../inventory/presence.ts';
import type { Ledger } from './ledger.ts';
import { mergeStretches } from './load-balancers.ts';
import { openMembers, type Members, type MembersAt } from './members.ts';
import { clustersOf, type Workload, type WorkloadOptions } from './workloads.ts';

export interface UnseenPod {
  readonly cluster: string;
  /** `cluster/namespace/pod` */
  readonly name: string;
  /** In the window, in order; each is longer than a gap between samples. */
  readonly stretches: readonly Stretch[];
}

/** What only usage names. */
export interface Unmatched {
  readonly unmatchedPods: readonly UnseenPod[];
  /** Clusters of its containers, in order. */
  readonly unmatchedClusters: readonly string[];
}

/** @param workloads of which some may be named by facts */
export function unmatchedIn(
  workloads: readonly Workload[],
  { windowStartMs, windowEndMs }: Pick<WorkloadOptions, 'windowStartMs' | 'windowEndMs'>,
): Unmatched {
  const found = new UnseenPods();
  for (const { pod, stretches, isUnmatched } of workloads) {
    if (!isUnmatched) continue;
    const names = [pod.cluster, pod.namespace, pod.name];
    found.add(names, mergeStretches(stretches, windowStartMs, windowEndMs));
  }
  const unmatchedClusters = clustersOf(workloads, ({ isUnmatched }) => isUnmatched);
  return { unmatchedPods: found.all, unmatchedClusters };
}

/** Pods whose usage goes on beside their lives. Once, after all usage was added. */
export function unseenUsage(
  arena: Arena,
  { tables, meters }: Ledger<Resource>,
  at: MembersAt,
): UnseenPod[] {
  const members = openMembers(arena, at);
  const setsMs = arena.f64(tables.sets, tables.setCount + 1);
  const [startMs, endMs] = [setsMs[0] ?? NaN, setsMs[tables.setCount] ?? NaN];
  const spans = [meters.cpu, meters.ram].map(
    (meter) => new MeterSpans(arena, meter, tables.identityCount),
  );
  const segments = new Segments(arena, tables);
  const found = new UnseenPods();
  eachIdentity(members, (identity, last) => {
    const isCovered = spans.every((of) =>
      segments.cover(identity, of.firstMs(identity), of.lastMs(identity)),
    );
    if (isCovered) return;
    const used = spans.flatMap((of) => of.at(identity));
    const lives = segments.of(identity);
    const unseen = used.flatMap((span) =>
      lives
        .reduce<readonly Stretch[]>(without, [span])
        .filter((piece) => piece.endMs - piece.startMs > span.gapMs),
    );
    if (unseen.length === 0) return;
    const diedMs = lives.at(-1)?.endMs ?? -Infinity;
    const isEndKnown = !BY_SAMPLES.has(textOf(members, 'endSource', last));
    const names = (['cluster', 'namespace', 'pod'] as const).map((name) =>
      textOf(members, name, last),
    );
    const meant = unseen.filter((piece) => !(isEndKnown && piece.startMs >= diedMs));
    found.add(names, mergeStretches(meant, startMs, endMs));
  });
  return found.all;
}

/** Pieces of `there` outside of `life`. */
function without(there: readonly Stretch[], life: Stretch): Stretch[] {
  return there.flatMap(({ startMs, endMs }) =>
    [
      { startMs, endMs: Math.min(endMs, life.startMs) },
      { startMs: Math.max(startMs, life.endMs), endMs },
    ].filter((piece) => piece.startMs < piece.endMs),
  );
}

/** When identities lived, in order of time. */
class Segments {
  /** Records of IDENTITY_WORDS. */
  readonly #identities: Uint32Array;
  readonly #words: Float64Array;
  readonly #stride: number;

  constructor(arena: Arena, tables: Ledger<Resource>['tables']) {
    const { identities, identityCount, segments, segmentBytes = SEGMENT.bytes } = tables;
    this.#identities = arena.u32(identities, IDENTITY_WORDS * identityCount);
    const [first, count] = this.#segmentsOf(identityCount - 1);
    this.#stride = segmentBytes / 8;
    this.#words = arena.f64(segments, (first + count) * this.#stride);
  }

  /** Whether one segment covers a time, but for what is no gap; quick, as nearly all are. */
  cover(identity: number, fromMs: number, toMs: number): boolean {
    const [first, count] = this.#segmentsOf(identity);
    if (!(toMs - fromMs > 0)) return true;
    if (count !== 1) return false;
    const at = first * this.#stride;
    const [startMs, endMs] = [this.#words[at] ?? NaN, this.#words[at + 1] ?? NaN];
    return startMs - fromMs <= UNSEEN_MS && toMs - endMs <= UNSEEN_MS;
  }

  of(identity: number): Stretch[] {
    const [first, count] = this.#segmentsOf(identity);
    return Array.from({ length: count }, (_, i) => {
      const at = (first + i) * this.#stride;
      return { startMs: this.#words[at] ?? NaN, endMs: this.#words[at + 1] ?? NaN };
    });
  }

  #segmentsOf(identity: number): readonly [first: number, count: number] {
    const at = IDENTITY_WORDS * identity;
    const { firstSegment, segments } = IDENTITY.u32;
    return [this.#identities[at + firstSegment / 4] ?? 0, this.#identities[at + segments / 4] ?? 0];
  }
}

const IDENTITY_WORDS = IDENTITY.bytes / 4;

/** Members are in the order of identities: those of one name and container are neighbours. */
function eachIdentity(
  { frame }: Members,
  visit: (identity: number, lastMember: number) => void,
): void {
  const names = (['cluster', 'namespace', 'pod', 'container'] as const).map((name) =>
    frame.u32(name),
  );
  const isSame = (a: number, b: number): boolean => names.every((codes) => codes[a] === codes[b]);
  let identity = 0;
  for (let member = 0; member < frame.rows; member++)
    if (member + 1 === frame.rows || !isSame(member, member + 1)) visit(identity++, member);
}

function textOf({ frame, dictionary }: Members, column: string, member: number): string {
  return dictionary.text(frame.u32(column)[member] ?? 0);
}

/** Containers of a pod share its name. */
class UnseenPods {
  readonly #pods: Map<string, { readonly cluster: string; readonly stretches: Stretch[] }> =
    new Map();

  add(names: readonly string[], stretches: readonly Stretch[]): void {
    const long = stretches.filter(({ startMs, endMs }) => endMs - startMs > UNSEEN_MS);
    if (long.length === 0) return;
    const name = names.join('/');
    const known = this.#pods.get(name) ?? { cluster: names[0] ?? '', stretches: [] };
    this.#pods.set(name, known);
    known.stretches.push(...long);
  }

  get all(): UnseenPod[] {
    const sorted = [...this.#pods].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([name, { cluster, stretches }]) => ({
      cluster,
      name,
      stretches: mergeStretches(stretches),
    }));
  }
}

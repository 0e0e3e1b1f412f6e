/** The objects of one kind as of now: packed series by uid, kept up by its changes. */
import { follow } from '../../cluster/index.ts';
import type { ClusterApi, ClusterObject, FollowOptions, FollowState } from '../../cluster/index.ts';
import type { Changes } from './changes.ts';
import { objectOf } from './api-objects.ts';
import type { FollowedKind } from './kinds.ts';
import type { AgentNode } from './node-series.ts';
import { PackedSeries } from './packed-series.ts';
import { writtenMs } from './times.ts';

interface Made {
  readonly series: PackedSeries;
  /** When it was last written, by the API's clock; NaN unknown. */
  readonly writtenMs: number;
  readonly node: AgentNode | undefined;
}

/** What is held of an object. */
interface Held extends Made {
  /** When it first came, by our clock. */
  readonly sinceMs: number;
  /** How often samples had been taken by then. */
  readonly sinceTaking: number;
}

export interface KindFigures {
  readonly kind: string;
  readonly objects: number;
  readonly series: number;
  readonly bytes: number;
  /** Changes so far, of which the first list is one an object. */
  readonly changes: number;
  /** Complete lists so far: 0 before the first, more than one where the server's history was lost. */
  readonly lists: number;
  readonly state: FollowState['state'];
  /** '' while following, and where a server may do without the kind. */
  readonly why: string;
  /** Objects of a form that no API server sends: they have no series. */
  readonly malformed: number;
}

export interface FollowingOptions extends Pick<FollowOptions<Made>, 'signal' | 'pause'> {
  readonly node: string | undefined;
  readonly nowMs: () => number;
}

export class ObjectsOfKind {
  readonly #of: FollowedKind;
  readonly #byUid: Map<string, Held> = new Map();
  #lists = 0;
  #changes = 0;
  #malformed = 0;
  #state: FollowState = { state: 'retrying', why: 'not listed yet' };

  constructor(of: FollowedKind) {
    this.#of = of;
  }

  /** It was listed, or is none that this server has. */
  get isListed(): boolean {
    const isAbsent = this.#state.state === 'absent' && this.#of.mayBeAbsent === true;
    return this.#lists > 0 || isAbsent;
  }

  /** In the order in which they came. */
  all(): Iterable<Held> {
    return this.#byUid.values();
  }

  figures(): KindFigures {
    let [series, bytes] = [0, 0];
    for (const held of this.#byUid.values()) {
      series += held.series.size;
      bytes += held.series.bytes;
    }
    return {
      kind: this.#of.kind,
      objects: this.#byUid.size,
      series,
      bytes,
      changes: this.#changes,
      lists: this.#lists,
      malformed: this.#malformed,
      ...this.#state,
      why: this.isListed && this.#state.state === 'absent' ? '' : this.#state.why,
    };
  }

  /** Ends when the signal is aborted. */
  async follow(
    api: ClusterApi,
    changes: Changes,
    { node, nowMs, ...options }: FollowingOptions,
  ): Promise<void> {
    const { kind, ofNode } = this.#of;
    const following = follow(api, {
      kind,
      fields: node === undefined ? undefined : ofNode?.(node),
      valueOf: (object) => this.#made(object),
      onState: (state) => void (this.#state = state),
      ...options,
    });
    for await (const change of following) {
      if (change.type === 'synced') {
        this.#lists++;
        continue;
      }
      this.#changes++;
      const { uid, value, type } = change;
      const before = this.#byUid.get(uid);
      if (type === 'delete') {
        this.#byUid.delete(uid);
        changes.delete(before, value.series, nowMs(), this.#of.kind === 'Pod');
        continue;
      }
      const { sinceMs, sinceTaking } = before ?? { sinceMs: nowMs(), sinceTaking: changes.takings };
      const held = { ...value, sinceMs, sinceTaking };
      this.#byUid.set(uid, held);
      if (before?.series.isSame(value.series) !== true)
        changes.update(before, value.series, timeOf(before, value, nowMs()));
    }
  }

  #made(object: ClusterObject): Made {
    try {
      const series = new PackedSeries(this.#of.seriesOf(object));
      return { series, writtenMs: writtenMs(objectOf(object)), node: this.#of.nodeOf?.(object) };
    } catch (error) {
      // One object that is not as it should be must not hide all others.
      if (!(error instanceof TypeError)) throw error;
      this.#malformed++;
      return { series: new PackedSeries([]), writtenMs: NaN, node: undefined };
    }
  }
}

/**
 * When an object was changed: by its own fields where they tell, as a change may come late, such as after
 * a connection was lost.
 */
function timeOf(before: Made | undefined, after: Made, nowMs: number): number {
  const isTold = after.writtenMs <= nowMs && after.writtenMs !== before?.writtenMs;
  return isTold ? after.writtenMs : nowMs;
}

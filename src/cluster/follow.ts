/**
 * Follows the objects of a kind until its signal is aborted, across failures of the connection:
 *
 *     list ──► watch ──► ended, broken, silent: watch again from the last version seen
 *       ▲        └─────► 410: the server's history does not reach back; list again, yield the differences
 *       └────────────────┘
 *
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../query/index.ts';
import { ApiRefusal, type ClusterApi } from './api.ts';
import { Backoff } from './backoff.ts';
import type { Kind } from './kinds.ts';
import { KnownObjects, type Change } from './known-objects.ts';
import type { ClusterObject } from './objects.ts';

export interface FollowOptions<T> {
  readonly kind: Kind;
  /** A field selector; absent: all objects of the kind. */
  readonly fields?: string | undefined;
  /** The part of an object that is held in memory. */
  readonly valueOf: (object: ClusterObject) => T;
  readonly signal: AbortSignal;
  readonly onState?: (state: FollowState) => void;
  readonly pause?: ((pauseMs: number, signal: AbortSignal) => Promise<unknown>) | undefined;
  readonly random?: () => number;
  /** A clock that never goes back. */
  readonly clockMs?: () => number;
}

/** `refused`: we may not read this kind; `absent`: the server has none. Both are tried again every five minutes. */
export interface FollowState {
  readonly state: 'following' | 'retrying' | 'refused' | 'absent';
  /** '' while following. */
  readonly why: string;
}

/** `synced`: the changes before it make up all objects that there are now. */
export type Followed<T> = Change<T> | { readonly type: 'synced' };

/** A connection that lasted this long does not count as a failure. */
const LASTING_MS = 10_000;
const REFUSED_MS = 300_000;

/**
 * Each object, by uid, comes as `present` or `add` once and as `delete` once. Objects that came and went
 * while the server's history was lost do not appear.
 */
export async function* follow<T>(
  api: ClusterApi,
  options: FollowOptions<T>,
): AsyncGenerator<Followed<T>, void> {
  const { signal, random = Math.random, onState = () => undefined } = options;
  const clockMs = options.clockMs ?? (() => performance.now());
  const known = new KnownObjects(options.valueOf);
  const backoff = new Backoff(random);
  const at: Position = { version: undefined };
  while (!signal.aborted) {
    const beganMs = clockMs();
    let pauseMs: number | undefined;
    try {
      yield* once(api, options, known, at);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Unavailable)) throw error;
      if (isGone(error)) at.version = undefined;
      const state = stateAfter(error);
      onState({ state, why: error.message });
      pauseMs = state === 'retrying' ? retryAfterMs(error) : REFUSED_MS;
    }
    const hasLasted = clockMs() - beganMs >= LASTING_MS;
    if (hasLasted) backoff.reset();
    const leastMs = hasLasted ? 0 : backoff.nextMs();
    await (options.pause ?? paused)(Math.max(leastMs, pauseMs ?? 0), signal);
  }
}

/** The version up to which changes have come; undefined: a list is needed. */
interface Position {
  version: string | undefined;
}

async function* once<T>(
  api: ClusterApi,
  options: FollowOptions<T>,
  known: KnownObjects<T>,
  at: Position,
): AsyncGenerator<Followed<T>, void> {
  const { kind, fields, signal, onState } = options;
  if (at.version === undefined) {
    const { fresh, version } = await listed(api, options, known);
    yield* known.replace(fresh);
    at.version = version;
    yield { type: 'synced' };
  }
  onState?.({ state: 'following', why: '' });
  for await (const event of api.watch(kind, at.version, signal, fields)) {
    if (event.type !== 'BOOKMARK') yield* known.apply(event);
    at.version = event.type === 'BOOKMARK' ? event.version : event.object.metadata.resourceVersion;
  }
}

/** A function of its own: a generator that goes on would hold its last page, of hundreds of objects. */
async function listed<T>(
  api: ClusterApi,
  { kind, fields, signal }: FollowOptions<T>,
  known: KnownObjects<T>,
): Promise<{ fresh: Map<string, ReturnType<typeof known.entryOf>>; version: string }> {
  const fresh = new Map<string, ReturnType<typeof known.entryOf>>();
  // The first page's version: a watch from there also covers changes during the later pages.
  let version: string | undefined;
  for await (const page of api.list(kind, signal, fields)) {
    for (const object of page.objects) fresh.set(object.metadata.uid, known.entryOf(object));
    version ??= page.version;
  }
  return { fresh, version: version ?? '' };
}

function stateAfter(error: Unavailable): FollowState['state'] {
  const status = error instanceof ApiRefusal ? error.apiStatus : 0;
  if (status === 403) return 'refused';
  return status === 404 ? 'absent' : 'retrying';
}

function isGone(error: unknown): boolean {
  return error instanceof ApiRefusal && (error.apiStatus === 410 || error.reason === 'Expired');
}

function retryAfterMs(error: Unavailable): number {
  return error instanceof ApiRefusal ? error.retryAfterMs : 0;
}

function paused(pauseMs: number, signal: AbortSignal): Promise<unknown> {
  // An abort is not a failure.
  return sleep(pauseMs, undefined, { signal }).catch(() => undefined);
}

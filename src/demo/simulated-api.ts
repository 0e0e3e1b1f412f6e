/**
 * An API server of a simulated cluster, as a transport: list in pages, watch with bookmarks, get,
 * patch with dry run and versions, and the refusals of a real one. The demo asks it directly, tests
 * over HTTP.
 */
import { Unavailable } from '../query/index.ts';
import { collectionPath, KINDS, type Kind, type Place } from '../cluster/index.ts';
import type { ClusterObject } from '../cluster/index.ts';
import { invalidIn, mergedInto } from './simulated-patch.ts';
import type { SimulatedStore, StoredChange } from './simulated-store.ts';
import type { ApiAnswer, ApiCall, Transport } from '../cluster/index.ts';

export interface SimulatedApiOptions {
  /** Between bookmarks of a quiet watch. */
  readonly bookmarkMs?: number;
  /** What admission makes of a patched object, before it is checked. */
  readonly admitted?: (object: ClusterObject) => ClusterObject;
  /** What a new spec makes of a workload; unless given, it is rolled out at once. */
  readonly rolledOut?: (object: ClusterObject) => ClusterObject;
}

interface Target {
  readonly kind: Kind;
  /** Undefined for the collection. */
  readonly place: Place | undefined;
  readonly query: URLSearchParams;
}

interface WatchSpan {
  readonly from: number;
  readonly endsMs: number;
  readonly signal: AbortSignal;
}

const BOOKMARK_MS = 30_000;

/** By the path of the collection; `namespaces/<namespace>/` is cut out before. */
const KIND_BY_PATH: ReadonlyMap<string, Kind> = new Map(
  KINDS.map((kind) => [collectionPath(kind), kind]),
);

export function simulatedTransport(
  store: SimulatedStore,
  options: SimulatedApiOptions = {},
): Transport {
  const server = new SimulatedServer(store, options);
  return {
    name: 'the simulated Kubernetes API',
    send: (call, signal) => Promise.resolve(server.answer(call, signal)),
    renew: () => undefined,
    close: () => undefined,
  };
}

class SimulatedServer {
  readonly #store: SimulatedStore;
  readonly #options: SimulatedApiOptions;
  /** Lists that are being read in pages: what is left of each, by its token. */
  readonly #lists: Map<string, { readonly left: ClusterObject[]; readonly version: number }> =
    new Map();
  #tokens = 0;

  constructor(store: SimulatedStore, options: SimulatedApiOptions) {
    this.#store = store;
    this.#options = options;
  }

  answer(call: ApiCall, signal: AbortSignal): ApiAnswer {
    signal.throwIfAborted();
    const target = targetOf(call.path);
    if (target === undefined) return refusal(404, 'NotFound', 'the server has no such resource');
    if (target.place !== undefined) return this.#one(call, target.kind, target.place, target.query);
    if (call.method !== 'GET') return refusal(405, 'MethodNotAllowed', 'not on collections');
    return target.query.get('watch') === 'true' ? this.#watch(target, signal) : this.#list(target);
  }

  #list({ kind, query }: Target): ApiAnswer {
    const token = query.get('continue');
    const list = token === null ? this.#snapshot(kind, query) : this.#lists.get(token);
    if (token !== null) this.#lists.delete(token);
    if (list === undefined || list.version < this.#store.compactedTo) return expired();
    const limit = Number(query.get('limit') ?? 0) || Infinity;
    const items = list.left.slice(0, limit);
    const left = list.left.slice(limit);
    const metadata = { resourceVersion: String(list.version) };
    if (left.length === 0) return ok({ metadata, items });
    const next = `page-${++this.#tokens}`;
    this.#lists.set(next, { left, version: list.version });
    return ok({ metadata: { ...metadata, continue: next }, items });
  }

  #snapshot(
    kind: Kind,
    query: URLSearchParams,
  ): { readonly left: ClusterObject[]; readonly version: number } {
    const left = this.#store.list(kind).filter(selectedBy(query.get('fieldSelector')));
    return { left, version: this.#store.version };
  }

  #one(call: ApiCall, kind: Kind, place: Place, query: URLSearchParams): ApiAnswer {
    const object = this.#store.get(kind, place);
    if (object === undefined) {
      return refusal(404, 'NotFound', `${kind} ${place.namespace}/${place.name} not found`);
    }
    if (call.method === 'GET') return ok(object);
    const patch = JSON.parse(call.body ?? '{}') as Partial<ClusterObject>;
    const wanted = patch.metadata?.resourceVersion ?? object.metadata.resourceVersion;
    if (wanted !== object.metadata.resourceVersion) {
      return refusal(409, 'Conflict', 'the object has been modified');
    }
    const patched = mergedInto(object, patch);
    const merged = this.#options.admitted?.(patched) ?? patched;
    const wrong = invalidIn(merged);
    if (wrong !== undefined) return refusal(422, 'Invalid', wrong);
    const isSame = JSON.stringify(merged) === JSON.stringify(object);
    if (isSame || query.get('dryRun') === 'All') return ok(merged);
    const isSpecNew = JSON.stringify(merged.spec) !== JSON.stringify(object.spec);
    const rolledOut = this.#options.rolledOut ?? rolledOutAtOnce;
    return ok(this.#store.put(kind, isSpecNew ? rolledOut(merged) : merged));
  }

  #watch({ kind, query }: Target, signal: AbortSignal): ApiAnswer {
    const from = Number(query.get('resourceVersion') ?? this.#store.version);
    const endsMs = performance.now() + Number(query.get('timeoutSeconds') ?? 300) * 1000;
    if (from >= this.#store.compactedTo) {
      return { ...ok(undefined), body: this.#events(kind, query, { from, endsMs, signal }) };
    }
    // So a real one tells it, mostly: in an answer of 200.
    return { ...ok(undefined), body: chunksOf([lineOf('ERROR', expiredStatus())]) };
  }

  async *#events(
    kind: Kind,
    query: URLSearchParams,
    { from, endsMs, signal }: WatchSpan,
  ): AsyncGenerator<Uint8Array, void> {
    const isSelected = selectedBy(query.get('fieldSelector'));
    let version = from;
    for (;;) {
      if (version < this.#store.compactedTo) {
        yield Buffer.from(lineOf('ERROR', expiredStatus()));
        return;
      }
      const changes = this.#store.changesAfter(kind, version);
      // Before anything is awaited: what changes while these are taken comes next.
      version = this.#store.version;
      for (const change of changes)
        if (isSelected(change.object)) yield Buffer.from(changeLine(change));
      const leftMs = endsMs - performance.now();
      if (leftMs > 0) await this.#pause(Math.min(leftMs, this.#bookmarkMs), signal);
      if (signal.aborted) throw new Unavailable('the watch was closed');
      const isBehind = version < this.#store.compactedTo;
      if (isBehind || this.#store.changesAfter(kind, version).length > 0) continue;
      version = Math.max(version, this.#store.version);
      yield Buffer.from(lineOf('BOOKMARK', { metadata: { resourceVersion: String(version) } }));
      if (performance.now() >= endsMs) return;
    }
  }

  get #bookmarkMs(): number {
    return this.#options.bookmarkMs ?? BOOKMARK_MS;
  }

  /** Ends early when something changes. */
  async #pause(pauseMs: number, signal: AbortSignal): Promise<void> {
    const end = new AbortController();
    const finish = (): void => end.abort();
    const timer = setTimeout(finish, pauseMs);
    if (signal.aborted) finish();
    signal.addEventListener('abort', finish, { once: true });
    await this.#store.changed(end.signal);
    clearTimeout(timer);
    signal.removeEventListener('abort', finish);
  }
}

/** A workload whose controller is quick: every pod is of the new template. */
export function rolledOutAtOnce(object: ClusterObject): ClusterObject {
  const { metadata, spec, status } = object;
  const replicas = spec?.replicas ?? status?.desiredNumberScheduled ?? 0;
  return {
    ...object,
    status: {
      ...status,
      observedGeneration: (metadata.generation ?? 0) + 1,
      replicas,
      updatedReplicas: replicas,
      ...(status?.desiredNumberScheduled === undefined ? {} : { updatedNumberScheduled: replicas }),
    },
  };
}

function targetOf(path: string): Target | undefined {
  const [plain = '', query = ''] = path.split('?', 2);
  const found = /^(\/apis?\/.+?)\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(plain);
  const [, base = '', namespace = '', plural = '', name = ''] = found ?? [];
  const kind = KIND_BY_PATH.get(found === null ? plain : `${base}/${plural}`);
  if (kind === undefined) return undefined;
  const place = { namespace: decodeURIComponent(namespace), name: decodeURIComponent(name) };
  return { kind, place: found === null ? undefined : place, query: new URLSearchParams(query) };
}

/** Selects by one field whose value never changes once it is set, such as `spec.nodeName=a`. */
function selectedBy(selector: string | null): (object: ClusterObject) => boolean {
  if (selector === null) return () => true;
  const [path = '', value] = selector.split('=', 2);
  return (object) => {
    const found = path
      .split('.')
      .reduce<unknown>((of, name) => Object(of)[name] as unknown, object);
    return (found ?? '') === value;
  };
}

function changeLine({ type, object }: StoredChange): string {
  return lineOf(type, object);
}

function lineOf(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

function expiredStatus(): object {
  return statusOf(410, 'Expired', 'too old resource version');
}

function expired(): ApiAnswer {
  return refusal(410, 'Expired', 'The provided continue parameter is too old');
}

function statusOf(code: number, reason: string, message: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code };
}

function refusal(status: number, reason: string, message: string): ApiAnswer {
  return { ...ok(statusOf(status, reason, message)), status };
}

function ok(value: unknown): ApiAnswer {
  return {
    status: 200,
    header: (name) => (name === 'content-type' ? 'application/json' : ''),
    body: chunksOf([JSON.stringify(value) ?? '']),
  };
}

async function* chunksOf(texts: readonly string[]): AsyncGenerator<Uint8Array, void> {
  for (const text of texts) yield Buffer.from(text);
}

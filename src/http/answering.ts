/**
 * The one recipe of an answer in chunks:
 *
 *     parameters ──► plan ──► find ──► identity ──► cached bytes ──► 304 ──► turn ──► make ──► head ──► chunks
 *
 * A route states its plan, its identity and its chunks, and the way they are served (serving.ts).
 * Failures up to the first chunk become error answers. A client that has the answer costs no turn, unless its caller has
 * a filter: the identity changes with rows of others, so that the tag is of the bytes.
 */
import { fingerprint, scopedTag, unchanged } from './entity-tags.ts';
import { scopeOf, type AdmittedRequest } from './caller.ts';
import { paramsOf, type QueryParams } from './params.ts';
import type { HttpReply, HttpRequest } from './server.ts';
import type { Made, Serving } from './serving.ts';

type Headers = HttpReply['headers'];

export interface Recipe<Plan, Found> {
  /** @throws {Fault} naming the parameter that cannot be read */
  readonly plan: (request: HttpRequest, params: QueryParams) => Plan;
  /**
   * Finds the data of the answer.
   * @param ignored warnings of parameters that `plan` has not read, for the answer
   * @param isScoped the caller sees some rows alone: nothing may tell of others
   */
  readonly find: (
    plan: Plan,
    ignored: readonly string[],
    isScoped: boolean,
  ) => Promise<Found> | Found;
  /** All that the bytes depend on, as plain data. */
  readonly identity: (plan: Plan, found: Found, request: HttpRequest) => unknown;
  /** False: the same request may get other bytes later. */
  readonly isTagged: (found: Found) => boolean;
  /** Headers without the tag: called before the answer is made, and again when it has begun. */
  readonly head: (plan: Plan, found: Found) => Headers;
  /** Called in a turn when the answer is neither cached nor known to the client. */
  readonly make: (
    plan: Plan,
    found: Found,
    signal: AbortSignal,
  ) => Promise<Made<Found>> | Made<Found>;
  readonly serving: Serving<Found>;
  /** Whether it takes little to make, so that it need not wait behind those that take much; absent: no. */
  readonly isCheap?: (plan: Plan, found: Found) => boolean;
  /** Called for each reply from the cache; its headers are frozen. */
  readonly onCached?: (reply: HttpReply, answered: Answered<Plan, Found>) => void;
}

interface Answered<Plan, Found> {
  readonly request: AdmittedRequest;
  readonly plan: Plan;
  readonly found: Found;
}

/** The handler of a route with this recipe. */
export function answering<Plan, Found>(
  recipe: Recipe<Plan, Found>,
): (request: AdmittedRequest) => Promise<HttpReply> {
  return async (request) => {
    const params = paramsOf(request);
    const plan = recipe.plan(request, params);
    params.requireScoped();
    const ignored = params.ignored();
    const known = await recipe.find(plan, ignored, params.isScoped);
    const identity = recipe.identity(plan, known, request);
    const scope = scopeOf(request.caller);
    const id = idOf(identity, ignored, scope);
    const headersOf = (found: Found, body?: HttpReply['body']): Headers => {
      const headers = recipe.head(plan, found);
      if (!recipe.isTagged(found)) return headers;
      const tag = scope === null ? id : scopedTag(body, scope);
      return tag === undefined ? headers : { ...headers, etag: `"${tag}"` };
    };
    const cached = recipe.serving.cached?.(id);
    const headers = headersOf(known, cached);
    if (cached !== undefined) {
      const reply = { status: 200, headers: Object.freeze(headers), body: cached };
      recipe.onCached?.(reply, { request, plan, found: known });
      return unchanged(request, headers) ?? reply;
    }
    const same = unchanged(request, headers);
    if (same) return same;
    const { signal } = request;
    const { made, body } = await recipe.serving.begin((until) => recipe.make(plan, known, until), {
      id,
      signal,
      isCheap: recipe.isCheap?.(plan, known) ?? false,
    });
    // The head is made last, as it cannot be changed once it is sent.
    made.headSent?.();
    const head = headersOf(made.found(), body);
    const reply = { status: 200, headers: head, body };
    return scope === null ? reply : (unchanged(request, head) ?? reply);
  };
}

/** Callers with different scopes share no answer, not even one of the same rows: they could tell by its time. */
function idOf(identity: unknown, ignored: readonly string[], scope: string | null): string {
  if (scope !== null) return fingerprint([identity, ignored, scope]);
  return fingerprint(ignored.length === 0 ? identity : [identity, ignored]);
}

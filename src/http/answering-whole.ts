/**
 * The one recipe of an answer that is a single value: parameters, plan, turn, value, head. The value is computed for
 * each request, and a client that has the same bytes gets 304.
 */
import { fingerprint, scopedTag, unchanged } from './entity-tags.ts';
import { scopeOf, type AdmittedRequest } from './caller.ts';
import { paramsOf, type QueryParams } from './params.ts';
import type { HttpReply, HttpRequest } from './server.ts';
import { inTurn, type Turns } from './serving.ts';

export interface WholeRecipe<Plan, Value> {
  /** @throws {Fault} naming the parameter that cannot be read */
  readonly plan: (request: HttpRequest, params: QueryParams) => Plan;
  readonly turns: Turns;
  /** Called in a turn, which ends with it. */
  readonly value: (plan: Plan, request: HttpRequest) => Promise<Value>;
  /**
   * @param ignored warnings of parameters that nothing has read, for the answer
   * @param isScoped the caller sees some rows alone: nothing may tell of others
   */
  readonly reply: (
    value: Value,
    plan: Plan,
    ignored: readonly string[],
    isScoped: boolean,
  ) => HttpReply;
  /** False: the same request may get another value later. */
  readonly isTagged: (value: Value, plan: Plan) => boolean;
}

/** The handler of a route with this recipe. */
export function answeringWhole<Plan, Value>(
  recipe: WholeRecipe<Plan, Value>,
): (request: AdmittedRequest) => Promise<HttpReply> {
  return async (request) => {
    const params = paramsOf(request);
    const plan = recipe.plan(request, params);
    params.requireScoped();
    const compute = (): Promise<Value> => recipe.value(plan, request);
    const value = await inTurn(recipe.turns, request.signal, compute);
    const reply = recipe.reply(value, plan, params.ignored(), params.isScoped);
    if (!recipe.isTagged(value, plan)) return reply;
    const scope = scopeOf(request.caller);
    const tag = scope === null ? fingerprint(reply.body) : scopedTag(reply.body, scope);
    if (tag === undefined) return reply;
    const headers = { ...reply.headers, etag: `"${tag}"` };
    return unchanged(request, headers) ?? { ...reply, headers };
  };
}

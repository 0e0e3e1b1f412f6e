/** Routes behind a gate that lets everybody in. */
import {
  FOR_EVERYBODY,
  gated,
  router,
  type GateOptions,
  type HttpHandler,
  type Route,
  type RouterOptions,
} from '../../../src/http/index.ts';

export function openRouter(
  routes: readonly Route[],
  options: RouterOptions,
  gate: GateOptions = FOR_EVERYBODY,
): HttpHandler {
  return gated(router(routes, options), gate);
}

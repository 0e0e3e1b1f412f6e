/** Routes behind a gate that lets everybody in. */
import {
  FOR_EVERYBODY,
  gated,
  router,
  type HttpHandler,
  type Route,
  type RouterOptions,
} from '../../../src/http/index.ts';

export function openRouter(routes: readonly Route[], options: RouterOptions): HttpHandler {
  return gated(router(routes, options), FOR_EVERYBODY);
}

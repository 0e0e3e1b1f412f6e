import { Unavailable } from '../query/index.ts';
import type { FrontEnd } from './server.ts';

export { beginning } from './beginning.ts';
export { compressing } from './compress.ts';
export { fingerprint, tagged, taggedJson, unchanged } from './entity-tags.ts';
export { readFilterParams, type FilterParameters, type ReadFilter } from './filter-params.ts';
export { parseQuery, type QueryParams } from './params.ts';
export { bytes, json, stream } from './reply.ts';
export { router, type Route, type RouterOptions } from './route.ts';
export type {
  FrontEnd,
  FrontEndOptions,
  HttpHandler,
  HttpReply,
  HttpRequest,
  HttpServer,
  Limits,
  Log,
} from './server.ts';
export { warningsHeader } from './warnings-header.ts';

export type FrontEndName = 'uws' | 'node';

/**
 * Only the engine asked for is loaded: the native one has no build for every platform.
 * @throws Unavailable when there is none for this one
 */
export async function loadFrontEnd(name: FrontEndName): Promise<FrontEnd> {
  if (name === 'node') return (await import('./node.ts')).nodeFrontEnd;
  try {
    return (await import('./uws.ts')).uwsFrontEnd;
  } catch (cause) {
    throw new Unavailable('cannot load uWebSockets.js: it has no build for this platform', {
      hint: 'use --front-end node',
      cause,
    });
  }
}

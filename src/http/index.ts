import { Unavailable } from '../query/index.ts';
import { AlteredBuild, platformText } from './uws/builds.ts';
import type { FrontEnd } from './server.ts';

export { acceptsGzip } from './accept-encoding.ts';
export { answering, type Recipe } from './answering.ts';
export { answeringWhole } from './answering-whole.ts';
export { beginning } from './beginning.ts';
export {
  EVERYBODY,
  hasRole,
  PassedOn,
  requireRole,
  ROLES,
  scopeOf,
  type AdmittedHandler,
  type AdmittedRequest,
  type Caller,
  type Needed,
  type Role,
  type Scoping,
} from './caller.ts';
export { caveatFields, caveatHeaders, caveatMembers, withWarnings } from './caveats.ts';
export { compressing, type CompressedBytes } from './compress.ts';
export { endingWith } from './ending-with.ts';
export { rateLimiter } from './limits/rate-limit.ts';
export {
  FOR_EVERYBODY,
  gated,
  refusedAtHead,
  type GateOptions,
  type Identified,
  type Identify,
} from './gate.ts';
export { guarded, isAllowedHost } from './guard.ts';
export { fingerprint, unchanged } from './entity-tags.ts';
export {
  readFilterParams,
  readRowFilter,
  type FilterParameters,
  type ReadFilter,
} from './filter-params.ts';
export { readIsAscending, readPageLimits, type PageLimits } from './page-params.ts';
export { paramsOf, parseQuery, type QueryParams } from './params.ts';
export {
  accumulated,
  amount,
  autocompleted,
  bare,
  BOOLEAN,
  count,
  daysWindow,
  eachOf,
  envelope,
  filters,
  flag,
  jsonOf,
  listOf,
  mapOf,
  named,
  needed,
  NULLABLE,
  NUMBER,
  objectOf,
  orNull,
  PAGE,
  text,
  TEXT,
  word,
  type Described,
  type DescribedParameters,
  type DescribedRoom,
  type Schema,
} from './openapi/described.ts';
export {
  descriptionOf,
  openApiOf,
  standardSchema,
  undescribed,
  type ServedRoute,
} from './openapi/document.ts';
export { bytes, errorReply, json, stream } from './reply.ts';
export {
  DIALECT_RULES,
  withoutPrefix,
  type Dialect,
  type DialectRule,
} from './spelling/dialect.ts';
export { router, type Route, type RouterOptions } from './route.ts';
export type {
  FrontEnd,
  BeforeBody,
  FrontEndOptions,
  HttpHandler,
  HttpReply,
  HttpRequest,
  HttpServer,
  Limits,
  Log,
  Observer,
  Outcome,
  TlsFiles,
} from './server.ts';
export { type AnswerCaching, begun, cachedOnceRead, inTurn, inTurnWhileRead } from './serving.ts';
export { TokenBuckets } from './limits/token-buckets.ts';
export { ownVisit, type Change, type Visit } from './visit.ts';
export { inTurnShared } from './sharing.ts';

export type FrontEndName = 'uws' | 'node';

/**
 * Loads only the chosen HTTP engine: the native one is not built for all platforms.
 * @throws Unavailable if the native engine cannot be loaded on this platform
 */
export async function loadFrontEnd(name: FrontEndName): Promise<FrontEnd> {
  if (name === 'node') return (await import('./node/front-end.ts')).nodeFrontEnd;
  try {
    return (await import('./uws/front-end.ts')).uwsFrontEnd;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Unavailable(`cannot load the native HTTP engine (${platformText()}): ${reason}`, {
      hint: 'use --front-end node',
      cause,
    });
  }
}

/** Loads the native HTTP engine, or `node:http` if it cannot be loaded, which is logged. */
export async function loadFastestFrontEnd(log: EngineLog): Promise<FrontEnd> {
  try {
    return await loadFrontEnd('uws');
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    const level = error.cause instanceof AlteredBuild ? 'warn' : 'info';
    log[level]({ frontEnd: 'node', reason: error.message }, 'serving with node:http');
    return loadFrontEnd('node');
  }
}

/** What is logged of the choice of the HTTP engine. */
type EngineLog = Readonly<
  Record<'info' | 'warn', (fields: Readonly<Record<string, string>>, message: string) => void>
>;

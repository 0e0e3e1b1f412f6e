/** Endpoint 7: GET /savings/requestSizing and requestSizingV2, and what they come to in all. */
import { endingWith, type AnswerCache } from '../allocation/index.ts';
import {
  fingerprint,
  parseQuery,
  unchanged,
  warningsHeader,
  type HttpReply,
  type HttpRequest,
  type Route,
} from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import type { Calendar } from '../query/index.ts';
import { sizingAnswer, type SizingOptions } from './answer.ts';
import { readSizingPlan, type SizingPlan, type SizingShape, type Version } from './params.ts';
import { usedSets, type UsedSets } from './used-sets.ts';

export interface SizingRouteOptions extends SizingOptions {
  readonly calendar: Calendar;
  readonly nowMs: () => number;
  readonly shape: SizingShape;
  /** Of what is computed. */
  readonly admission: Admission;
  /** Of what is streamed, as long as it is read. */
  readonly streams: Admission;
  readonly cache: AnswerCache;
}

const PATHS: readonly (readonly [path: string, version: Version, isTopline: boolean])[] = [
  ['/savings/requestSizing', 'v1', false],
  ['/savings/requestSizing/topline', 'v1', true],
  ['/savings/requestSizingV2', 'v2', false],
  ['/savings/requestSizingV2/topline', 'v2', true],
];

export function requestSizingRoutes(options: SizingRouteOptions): Route[] {
  return PATHS.map(([path, version, isTopline]) => ({
    method: 'GET',
    path,
    handle(request) {
      const { calendar, shape } = options;
      const context = { calendar, shape, nowMs: options.nowMs() };
      const plan = readSizingPlan(parseQuery(request.query), version, isTopline, context);
      return answer(options, plan, request);
    },
  }));
}

async function answer(
  options: SizingRouteOptions,
  plan: SizingPlan,
  request: HttpRequest,
): Promise<HttpReply> {
  const { signal } = request;
  const used = usedSets(options.sets, options.calendar, plan);
  const id = identity(plan, used);
  const headers = headersOf(plan, used.warnings, used.isSealed ? id : null);
  const same = unchanged(request, headers);
  if (same) return same;
  const known = options.cache.get(id);
  if (known !== undefined) return { status: 200, headers, body: known };
  const leave = await options.admission.enter(signal);
  const { chunks, lacking, isDamaged } = sizingAnswer(options, plan, used, signal);
  const body = await options.cache
    .answer(
      id,
      () => chunks,
      () => !isDamaged(),
    )
    .finally(leave);
  // What is damaged is found before the first chunk.
  const told = isDamaged() ? headersOf(plan, lacking(), null) : headers;
  if (Buffer.isBuffer(body)) return { status: 200, headers: told, body };
  const end = await options.streams.enter(signal).catch(async (error: unknown) => {
    await body[Symbol.asyncIterator]().return?.();
    throw error;
  });
  return { status: 200, headers: told, body: endingWith(body, end) };
}

/** @param id null: the answer has no tag */
function headersOf(
  { isCsv, isArray }: SizingPlan,
  lacking: readonly string[],
  id: string | null,
): HttpReply['headers'] {
  const tag = id === null ? {} : { etag: `"${id}"` };
  const told = warningsHeader(lacking, lacking.length > 0);
  if (!isCsv) return { 'content-type': 'application/json', ...tag, ...(isArray ? told : {}) };
  return {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="request-sizing.csv"',
    ...tag,
    ...told,
  };
}

/** The same for the same answer: what is asked, over which bytes. */
function identity(
  { window: _window, nowMs: _nowMs, ...asked }: SizingPlan,
  { windows, missing, warnings }: UsedSets,
): string {
  return fingerprint([asked, windows, missing, warnings]);
}

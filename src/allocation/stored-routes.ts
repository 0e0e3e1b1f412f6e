/** Endpoint 12: GET /allocation, its summaries, and the values of its fields. */
import {
  fingerprint,
  json,
  parseQuery,
  unchanged,
  warningsHeader,
  type HttpReply,
  type HttpRequest,
  type Route,
} from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import type { AnswerCache } from './answer-cache.ts';
import { fileHeader, formatAccepted } from './answer-headers.ts';
import { readAutocompletePlan } from './autocomplete-params.ts';
import { valuesOfSets } from './autocomplete.ts';
import { resolve } from './charged-sets.ts';
import { withExternalCosts } from './external-sets.ts';
import { endingWith } from './ending-with.ts';
import { MEDIA_TYPES } from './format.ts';
import {
  readStoredPlan,
  readSummaryPlan,
  readToplinePlan,
  type StoredPlan,
} from './stored-params.ts';
import { storedAnswer } from './stored-answer.ts';
import { originOf, wholeOf, type Resolved, type StoredOptions } from './stored.ts';
import { WarmReplies } from './warm-replies.ts';

export interface StoredRouteOptions extends StoredOptions {
  readonly admission: Admission;
  /** Counts answers that are streamed, as long as they are read. */
  readonly streams: Admission;
  readonly cache: AnswerCache;
  readonly nowMs: () => number;
}

export function storedRoutes(options: StoredRouteOptions): Route[] {
  const warm = new WarmReplies(options.cache.budgetBytes);
  const queries = QUERIES.map(([path, read]): Route => ({
    method: 'GET',
    path,
    handle(request) {
      const known = warm.get(request, options.sets.version, options.nowMs());
      return known
        ? (unchanged(request, known.headers) ?? known)
        : handleStored(options, request, read, warm);
    },
  }));
  return [
    ...queries,
    {
      method: 'GET',
      path: '/allocation/autocomplete',
      handle: (request) => handleAutocomplete(options, request),
    },
  ];
}

const QUERIES: readonly (readonly [path: string, read: typeof readStoredPlan])[] = [
  ['/allocation', readStoredPlan],
  ['/allocation/summary', readSummaryPlan],
  ['/allocation/summary/topline', readToplinePlan],
];

async function handleStored(
  options: StoredRouteOptions,
  request: HttpRequest,
  read: typeof readStoredPlan,
  warm: WarmReplies,
): Promise<HttpReply> {
  const { version } = options.sets;
  const format = formatAccepted(request.header('accept'));
  const plan = read(parseQuery(request.query), options.calendar, options.nowMs(), format);
  const charged = await resolve(options, plan);
  const isExternal = plan.asked.query.external;
  const resolved = isExternal ? await withExternalCosts(options, charged) : charged;
  const id = identity(plan, resolved);
  const headers = headersOf(plan, resolved, id);
  const known = options.cache.get(id);
  if (known !== undefined) {
    const reply = { status: 200, headers: Object.freeze(headers), body: known };
    warm.keep(request, { reply, version, untilMs: sameReplyUntilMs(plan) });
    return unchanged(request, headers) ?? reply;
  }
  const same = unchanged(request, headers);
  if (same) return same;
  const leave = await options.admission.enter(request.signal);
  const answer = storedAnswer(options, plan, resolved, { signal: request.signal });
  const body = await options.cache
    .answer(
      id,
      () => answer.chunks,
      () => !answer.found().isDamaged,
    )
    .finally(leave);
  const given = await counted(options, request, body);
  // The head is made last: once it is sent, nothing more can be told of the answer.
  answer.headSent();
  const found = answer.found();
  const told = found.isDamaged ? headersOf(plan, { ...resolved, ...found }, id) : headers;
  return { status: 200, headers: told, body: given };
}

/** An answer that is streamed has its place until its reader has all of it, or leaves. */
async function counted(
  { streams }: StoredRouteOptions,
  { signal }: HttpRequest,
  body: Buffer | AsyncIterable<Uint8Array>,
): Promise<Buffer | AsyncIterable<Uint8Array>> {
  if (Buffer.isBuffer(body)) return body;
  try {
    return endingWith(body, await streams.enter(signal));
  } catch (error) {
    await body[Symbol.asyncIterator]().return?.();
    throw error;
  }
}

/** What days that are not over bear of a monthly cost, and their rates, change all the time. */
function sameReplyUntilMs(plan: StoredPlan): number {
  const { shareUsdPerMonth, costMetric } = plan.asked;
  const isTimeless = shareUsdPerMonth === 0 && costMetric === 'cumulative';
  return isTimeless || wholeOf(plan).endMs <= plan.nowMs ? plan.sameUntilMs : plan.nowMs;
}

async function handleAutocomplete(
  options: StoredRouteOptions,
  { query, signal }: HttpRequest,
): Promise<HttpReply> {
  const plan = readAutocompletePlan(parseQuery(query), options.calendar, options.nowMs());
  const leave = await options.admission.enter(signal);
  const found = await valuesOfSets(options, plan, signal).finally(leave);
  const { values, warnings, isPartial } = found;
  return json({
    code: 200,
    data: values,
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(isPartial ? { partial: true } : {}),
  });
}

function headersOf(plan: StoredPlan, resolved: Resolved, id: string): Record<string, string> {
  const { kind } = plan.format;
  return {
    'content-type': MEDIA_TYPES[kind],
    vary: 'accept',
    ...(resolved.isSealed && !resolved.isDamaged ? { etag: `"${id}"` } : {}),
    ...(kind === 'csv' ? fileHeader(wholeOf(plan)) : {}),
    ...(kind === 'json' ? {} : told(resolved)),
  };
}

/** Lines of rows have no place for it among them. */
function told({ warnings, message, isPartial }: Resolved): Record<string, string> {
  return {
    ...warningsHeader(warnings, isPartial),
    ...(message === '' ? {} : { 'x-prorata-message': message }),
  };
}

/** The same for the same answer: what is asked, over which bytes. */
function identity(plan: StoredPlan, { groups, warnings, message }: Resolved): string {
  const { days: _days, nowMs, sameUntilMs: _sameUntilMs, ...asked } = plan;
  const isRate = plan.asked.costMetric !== 'cumulative';
  const upToMs = isRate ? Math.min(nowMs, wholeOf(plan).endMs) : null;
  const members = groups.map(({ window, members: of }) => [window, of.map(originOf)]);
  return fingerprint([asked, members, warnings, message, upToMs]);
}

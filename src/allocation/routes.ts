/** Endpoint 13: GET /allocation/compute. */
import { parseQuery, stream, type HttpReply, type HttpRequest, type Route } from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import type { Calendar } from '../query/index.ts';
import { MEDIA_TYPES } from './format.ts';
import type { Plan } from './plan.ts';
import { readPlan } from './params.ts';
import { query, type Answer, type QueryOptions } from './query.ts';

export interface AllocationRouteOptions extends QueryOptions {
  readonly admission: Admission;
  readonly calendar: Calendar;
  readonly nowMs: () => number;
}

export function allocationRoutes(options: AllocationRouteOptions): Route[] {
  return [
    {
      method: 'GET',
      path: '/allocation/compute',
      handle: (request) => handleCompute(options, request),
    },
  ];
}

async function handleCompute(
  options: AllocationRouteOptions,
  request: HttpRequest,
): Promise<HttpReply> {
  const params = parseQuery(request.query);
  const format = formatAccepted(request.header('accept'));
  const plan = readPlan(params, options.calendar, options.nowMs(), format);
  const leave = await options.admission.enter(request.signal);
  const answer = await query(options, plan, request.signal, { onEnd: leave });
  const { kind } = plan.format;
  const headers = {
    vary: 'accept',
    ...(kind === 'csv' ? fileHeader(plan) : {}),
    ...(kind === 'json' ? {} : warningsHeader(answer)),
  };
  return stream(MEDIA_TYPES[kind], answer.chunks, headers);
}

/** The first of JSON and NDJSON that an Accept header names. */
function formatAccepted(accept: string): 'json' | 'ndjson' {
  const types = accept.split(',').map((type) => type.split(';', 1)[0]?.trim().toLowerCase());
  const first = types.find((type) => type === MEDIA_TYPES.json || type === MEDIA_TYPES.ndjson);
  return first === MEDIA_TYPES.ndjson ? 'ndjson' : 'json';
}

/** A CSV is to be saved under a name of its own. */
function fileHeader({ window }: Plan): Record<string, string> {
  const days = [window.startMs, window.endMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
  const name = `allocation-${days.join('-to-')}.csv`;
  return { 'content-disposition': `attachment; filename="${name}"` };
}

/** Lines of rows have no place for warnings among them. */
function warningsHeader({ warnings, isPartial }: Answer): Record<string, string> {
  const told = warnings.join('; ').replaceAll(/[^\u0020-\u007e]/g, '?');
  return {
    ...(told === '' ? {} : { 'x-prorata-warnings': told }),
    ...(isPartial ? { 'x-prorata-partial': 'true' } : {}),
  };
}

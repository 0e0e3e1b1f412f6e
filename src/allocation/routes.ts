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
  const plan = readPlan(parseQuery(request.query), options.calendar, options.nowMs());
  const leave = await options.admission.enter(request.signal);
  const answer = await query(options, plan, request.signal, { onEnd: leave });
  const headers = plan.format.kind === 'csv' ? csvHeaders(plan, answer) : {};
  return stream(MEDIA_TYPES[plan.format.kind], answer.chunks, headers);
}

/** A CSV has no place for warnings in it, and is to be saved under a name of its own. */
function csvHeaders({ window }: Plan, { warnings, isPartial }: Answer): Record<string, string> {
  const days = [window.startMs, window.endMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
  const name = `allocation-${days.join('-to-')}.csv`;
  const told = warnings.join('; ').replaceAll(/[^\u0020-\u007e]/g, '?');
  return {
    'content-disposition': `attachment; filename="${name}"`,
    ...(told === '' ? {} : { 'x-prorata-warnings': told }),
    ...(isPartial ? { 'x-prorata-partial': 'true' } : {}),
  };
}

/** Endpoint 13: GET /allocation/compute. */
import {
  parseQuery,
  stream,
  warningsHeader,
  type HttpReply,
  type HttpRequest,
  type Route,
} from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import type { Calendar } from '../query/index.ts';
import { fileHeader, formatAccepted } from './answer-headers.ts';
import { MEDIA_TYPES } from './format.ts';
import { readPlan } from './params.ts';
import { query, type QueryOptions } from './query.ts';

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
    ...(kind === 'csv' ? fileHeader(plan.window) : {}),
    ...(kind === 'json' ? {} : warningsHeader(answer.warnings, answer.isPartial)),
  };
  return stream(MEDIA_TYPES[kind], answer.chunks, headers);
}

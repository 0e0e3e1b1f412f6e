/** POST /prediction/speccost: what manifests will cost. */
import {
  bytes,
  parseQuery,
  warningsHeader,
  type HttpReply,
  type HttpRequest,
  type Route,
} from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import type { Calendar } from '../query/index.ts';
import { readPredictionPlan } from './params.ts';
import { predictCosts, type PredictionOptions } from './predictions.ts';

export interface PredictionRouteOptions extends PredictionOptions {
  readonly admission: Admission;
  readonly calendar: Calendar;
  readonly nowMs: () => number;
}

export function predictionRoutes(options: PredictionRouteOptions): Route[] {
  return [
    {
      method: 'POST',
      path: '/prediction/speccost',
      handle: (request) => handle(options, request),
    },
  ];
}

async function handle(options: PredictionRouteOptions, request: HttpRequest): Promise<HttpReply> {
  const plan = readPredictionPlan(parseQuery(request.query), options.calendar, options.nowMs());
  const warnings = new Set<string>();
  const leave = await options.admission.enter(request.signal);
  const { body, signal } = request;
  const predicted = await predictCosts(options, plan, body, warnings, signal).finally(leave);
  const reply = bytes('application/json', predicted);
  const told = warningsHeader([...warnings], warnings.size > 0);
  return { ...reply, headers: { ...reply.headers, ...told } };
}

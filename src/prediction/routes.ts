/** POST /prediction/speccost: what manifests will cost. */
import {
  json,
  parseQuery,
  warningsHeader,
  type HttpReply,
  type HttpRequest,
  type Route,
} from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import { Fault, type Calendar } from '../query/index.ts';
import { EXAMPLE } from './manifest-shapes.ts';
import { readWorkloads } from './manifests.ts';
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
  const workloads = readWorkloads(textOf(request.body), plan.namespaceByDefault);
  const warnings = new Set<string>();
  const leave = await options.admission.enter(request.signal);
  const predicted = await predictCosts(options, plan, workloads, warnings, request.signal).finally(
    leave,
  );
  const reply = json(predicted);
  const told = warningsHeader([...warnings], warnings.size > 0);
  return { ...reply, headers: { ...reply.headers, ...told } };
}

function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (cause) {
    throw new Fault('the body is not UTF-8', { hint: `for example ${EXAMPLE}`, cause });
  }
}

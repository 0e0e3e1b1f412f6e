/** Endpoints 1 to 4 and their kin, by either spelling of the path. */
import { json, parseQuery, taggedJson, type Route } from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import type { Calendar } from '../query/index.ts';
import { isPartial, type Asked } from './asked.ts';
import { cloudComplement, complement, kubernetesComplement } from './complements.ts';
import { readSubject, readTimes } from './query-params.ts';
import type { Registry } from './registry.ts';
import type { Sources } from './reports.ts';
import { SPELLINGS } from './routes.ts';
import { timeseries, total } from './totals.ts';

export interface QueryRouteOptions {
  readonly registry: Registry;
  readonly sources: Sources;
  readonly admission: Admission;
  readonly calendar: Calendar;
  readonly nowMs: () => number;
}

const ANSWERS: readonly (readonly [path: string, answer: (asked: Asked) => Promise<object>])[] = [
  ['/query/total', total],
  ['/query/timeseries', timeseries],
  ['/query/complement', complement],
  ['/query/complement/cloud', cloudComplement],
  ['/query/complement/kubernetes', kubernetesComplement],
];

export function collectionQueryRoutes(options: QueryRouteOptions): Route[] {
  const { registry, sources, admission } = options;
  return SPELLINGS.flatMap((spelling) =>
    ANSWERS.map(([path, answer]): Route => ({
      method: 'GET',
      path: `${spelling}${path}`,
      async handle(request) {
        const { query, signal } = request;
        const params = parseQuery(query);
        const subject = readSubject(params, registry, spelling);
        const times = readTimes(params, options, signal);
        const leave = await admission.enter(signal);
        const told = await answer({ registry, sources, params, subject, times }).finally(leave);
        return isPartial(times) ? json(told) : taggedJson(request, told);
      },
    })),
  );
}

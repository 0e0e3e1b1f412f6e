/** Routes of costs of collections and of their complements, under both spellings of the path. */
import { answeringWhole, json, type Route } from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import type { Clock } from '../query/index.ts';
import type { CollectionQuery } from './collection-query.ts';
import { cloudComplement, complement, kubernetesComplement } from './complements.ts';
import { readSubject, readTimes } from './query-params.ts';
import type { Registry } from './registry.ts';
import type { Sources } from './reports.ts';
import { SPELLINGS } from './routes.ts';
import { timeseries, total } from './totals.ts';

export interface QueryRouteOptions {
  readonly registry: Registry;
  readonly sources: Sources;
  readonly clock: Clock;
  readonly admission: Admission;
}

const ANSWERS: readonly (readonly [
  path: string,
  answer: (asked: CollectionQuery) => Promise<object>,
])[] = [
  ['/query/total', total],
  ['/query/timeseries', timeseries],
  ['/query/complement', complement],
  ['/query/complement/cloud', cloudComplement],
  ['/query/complement/kubernetes', kubernetesComplement],
];

export function collectionQueryRoutes(options: QueryRouteOptions): Route[] {
  const { registry, sources, clock, admission } = options;
  return SPELLINGS.flatMap((spelling) =>
    ANSWERS.map(([path, answer]): Route => ({
      method: 'GET',
      path: `${spelling}${path}`,
      needs: 'viewer',
      handle: answeringWhole<CollectionQuery, object>({
        plan({ signal }, params) {
          const subject = readSubject(params, registry, spelling);
          return { registry, sources, params, subject, times: readTimes(params, clock, signal) };
        },
        turns: admission,
        value: answer,
        reply: (body) => json(body),
        isTagged: (_, { times }) => !times.caveats.isPartial,
      }),
    })),
  );
}

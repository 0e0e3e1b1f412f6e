/** Routes of costs of collections and of their complements, under both spellings of the path. */
import { answeringWhole, json, type Route, type Scoping } from '../http/index.ts';
import type { Admission, Compute } from '../pool/index.ts';
import type { Clock } from '../query/index.ts';
import type { CollectionQuery } from './collection-query.ts';
import { cloudComplement, complement, kubernetesComplement } from './complements.ts';
import { readScope, readSubject, readTimes, refuseBilled, type Subject } from './query-params.ts';
import type { Registry } from './registry.ts';
import type { Sources } from './reports.ts';
import { NAMES_OF_ALL, refuseLong, SPELLINGS } from './routes.ts';
import type { CollectionTasks, Grammars } from './tasks.ts';
import { timeseries, total } from './totals.ts';

export interface QueryRouteOptions {
  readonly registry: Registry;
  readonly sources: Sources;
  readonly clock: Clock;
  readonly grammars: Grammars;
  readonly compute: Compute<CollectionTasks>;
  readonly admission: Admission;
}

/** Their answers have names, filters and the choice of rows of whoever made the collection. */
const NAMING: Scoping = { refused: NAMES_OF_ALL };

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
  return SPELLINGS.flatMap((spelling) => [
    draftRoute(options, spelling),
    ...ANSWERS.map(([path, answer]): Route => ({
      method: 'GET',
      path: `${spelling}${path}`,
      needs: 'viewer',
      scoping: NAMING,
      handle: answeringWhole<CollectionQuery, object>({
        plan({ signal }, params) {
          const subject = readSubject(params, registry, spelling);
          const times = readTimes(params, clock, signal);
          return { idle: registry.idle, sources, params, subject, scope: null, times };
        },
        turns: admission,
        value: answer,
        reply: (body) => json(body),
        isTagged: (_, { times }) => !times.caveats.isPartial,
      }),
    })),
  ]);
}

/** What a collection would cost, were it made: its body is read as that of a new one, and nothing is stored. */
function draftRoute(options: QueryRouteOptions, spelling: (typeof SPELLINGS)[number]): Route {
  const { registry, sources, clock, compute, grammars, admission } = options;
  return {
    method: 'POST',
    path: `${spelling}/query/total`,
    needs: 'viewer',
    scoping: 'joined',
    handle: answeringWhole<Omit<CollectionQuery, 'subject'>, object>({
      plan({ body, signal }, params) {
        refuseLong(body);
        const scope = readScope(params);
        const idle = params.seesIdle ? registry.idle : 'hide';
        return { idle, sources, params, scope, times: readTimes(params, clock, signal) };
      },
      turns: admission,
      async value(plan, { body, signal }) {
        const input = { body, grammars, id: null };
        const { draft, groups } = await compute.pool.run('readCollection', input, signal);
        const known = { collection: { id: '', ...draft }, groups, json: '' };
        const subject: Subject = { kind: 'collection', known };
        refuseBilled(plan.scope, subject);
        return await total({ ...plan, subject });
      },
      reply: (value) => json(value),
      isTagged: () => false,
    }),
  };
}

/** Endpoints 5 and 6: GET /customCost/timeseries and GET /customCost/total. */
import { textChunks, type TextChunks } from '../charges/index.ts';
import type { Arena, Owners } from '../columnar/index.ts';
import { windowOf } from '../export/index.ts';
import {
  fingerprint,
  parseQuery,
  stream,
  tagged,
  type HttpReply,
  type HttpRequest,
  type Route,
} from '../http/index.ts';
import type { Admission, Pool } from '../pool/index.ts';
import type { Calendar, Window } from '../query/index.ts';
import type { StoredSet } from '../storage/index.ts';
import { gather } from './gather.ts';
import { readTimeseriesPlan, readTotalPlan, type ExternalPlan } from './params.ts';
import type { ExternalTasks } from './tasks.ts';

/** Where charges are kept. */
export interface ChargeSets {
  /** All sets that have charges of that stretch. */
  stored(window: Window): readonly StoredSet[];
}

export interface ExternalOptions {
  readonly charges: ChargeSets;
  readonly arena: Arena;
  readonly owners: Owners;
  readonly pool: Pool<ExternalTasks>;
  readonly admission: Admission;
  readonly calendar: Calendar;
  readonly nowMs: () => number;
}

export function externalRoutes(options: ExternalOptions): Route[] {
  return SHAPES.map(({ path, read, head, tail }) => ({
    method: 'GET',
    path,
    handle(request: HttpRequest): HttpReply {
      const plan = read(parseQuery(request.query), options.calendar, options.nowMs());
      const stored = options.charges.stored(plan.window);
      const around = { head: head(plan), tail };
      const chunks = answer(options, plan, { around, stored, signal: request.signal });
      const id = fingerprint([around, plan, stored]);
      return tagged(request, stream('application/json', chunks), id);
    },
  }));
}

interface Shape {
  readonly path: string;
  readonly read: typeof readTotalPlan;
  readonly head: (plan: ExternalPlan) => string;
  readonly tail: string;
}

const SHAPES: readonly Shape[] = [
  {
    path: '/customCost/timeseries',
    read: readTimeseriesPlan,
    head: ({ window }) =>
      `{"code":200,"data":{"window":${JSON.stringify(windowOf(window))},"timeseries":[`,
    tail: ']}}',
  },
  { path: '/customCost/total', read: readTotalPlan, head: () => '{"code":200,"data":', tail: '}' },
];

interface Answering {
  readonly around: Pick<TextChunks, 'head' | 'tail'>;
  readonly stored: readonly StoredSet[];
  readonly signal: AbortSignal;
}

async function* answer(
  options: ExternalOptions,
  { query, shown }: ExternalPlan,
  { around, stored, signal }: Answering,
): AsyncGenerator<Uint8Array> {
  const { pool, admission } = options;
  const leave = await admission.enter(signal);
  try {
    yield* textChunks(options, {
      ...around,
      async write(owner) {
        const asked = { stored, query, as: 'items', signal } as const;
        const gathered = await gather(options, owner, asked);
        return await pool.run('externalCosts', { ...gathered, query, shown, owner }, signal);
      },
    });
  } finally {
    leave();
  }
}

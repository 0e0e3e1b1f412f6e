/** GET /cloudCost and its views. */
import { textChunks } from '../charges/index.ts';
import { type Arena, type Owners, withOwner } from '../columnar/index.ts';
import { csvLine, windowOf } from '../export/index.ts';
import {
  fingerprint,
  json,
  parseQuery,
  stream,
  tagged,
  warningsHeader,
  type HttpReply,
  type HttpRequest,
  type QueryParams,
  type Route,
} from '../http/index.ts';
import type { Admission, Pool } from '../pool/index.ts';
import { oneOf, Unavailable, type Calendar, type Window } from '../query/index.ts';
import type { StoredSet } from '../storage/index.ts';
import { gather } from './gather.ts';
import { readCloudPlan, readValuesPlan, type CloudPlan, type Layout } from './params.ts';
import type { CloudTasks } from './tasks.ts';
import { VIEWS, type ViewName } from './write-views.ts';

/** Where charges and assets are kept. */
export interface CloudSets {
  /** All sets that have charges of that stretch. */
  charges(window: Window): readonly StoredSet[];
  /** What clusters had then. */
  assets(window: Window): KnownAssets;
  /** Takes out of use those of the sets that are damaged. */
  setAside(stored: readonly StoredSet[]): Promise<void>;
}

export interface KnownAssets {
  /** Sets whose column `providerID` names it. */
  readonly stored: readonly StoredSet[];
  /** Sets that are known to be damaged: what they name is not known to be of clusters. */
  readonly lacking: readonly string[];
}

export interface CloudOptions {
  readonly sets: CloudSets;
  readonly arena: Arena;
  readonly owners: Owners;
  readonly pool: Pool<CloudTasks>;
  readonly admission: Admission;
  readonly calendar: Calendar;
  readonly nowMs: () => number;
}

/** What stands around the texts of the windows. */
interface Frame {
  readonly view: ViewName;
  readonly head: string;
  readonly tail: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Shape {
  readonly paths: readonly string[];
  readonly layout: Layout;
  readonly frame: (params: QueryParams, plan: CloudPlan) => Frame;
}

const JSON_TYPE = 'application/json';

/** The data is one object. */
const OBJECT = { head: '{"code":200,"data":', tail: '}', contentType: JSON_TYPE };
/** The data is a list. */
const LIST = { head: '{"code":200,"data":[', tail: ']}', contentType: JSON_TYPE };

const SHAPES: readonly Shape[] = [
  {
    // Clients of the first version ask for the same at /aggregate.
    paths: ['/cloudCost', '/cloudCost/aggregate'],
    layout: 'asked',
    frame: (_, { window }) => ({
      view: 'sets',
      head: '{"code":200,"data":{"sets":[',
      tail: `],"window":${JSON.stringify(windowOf(window))}}}`,
      contentType: JSON_TYPE,
    }),
  },
  { paths: ['/cloudCost/view/table'], layout: 'one', frame: tableFrame },
  {
    paths: ['/cloudCost/view/totals'],
    layout: 'one',
    frame: () => ({ view: 'totals', ...OBJECT }),
  },
  {
    paths: ['/cloudCost/view/trends'],
    layout: 'compared',
    frame: () => ({ view: 'trends', ...OBJECT }),
  },
  {
    paths: ['/cloudCost/view/graph'],
    layout: 'asked',
    frame: () => ({ view: 'graph', ...LIST }),
  },
];

function tableFrame(params: QueryParams, { window }: CloudPlan): Frame {
  const format = params.parsed('format', oneOf('format', ['json', 'csv']), 'json');
  if (format === 'json') return { view: 'table', ...LIST };
  const { start, end } = windowOf(window);
  const name = `cloud-cost-${start.slice(0, 10)}-to-${end.slice(0, 10)}.csv`;
  return {
    view: 'csv',
    head: csvLine(['Name', 'K8s Utilization', 'Total', 'Window']),
    tail: '',
    contentType: 'text/csv; charset=utf-8',
    headers: { 'content-disposition': `attachment; filename="${name}"` },
  };
}

export function cloudRoutes(options: CloudOptions): Route[] {
  const views = SHAPES.flatMap(({ paths, layout, frame }) =>
    paths.map((path): Route => ({
      method: 'GET',
      path,
      handle(request: HttpRequest): HttpReply {
        const { query, signal } = request;
        const params = parseQuery(query);
        const plan = readCloudPlan(params, options.calendar, options.nowMs(), layout);
        const around = frame(params, plan);
        const found = setsOf(options, plan);
        if (found.lacking.length > 0) return lackingReply(options, plan, { around, found, signal });
        const { contentType, headers = {} } = around;
        const chunks = answer(options, plan, { around, found, signal });
        const id = fingerprint([around, plan, found]);
        return tagged(request, stream(contentType, chunks, headers), id);
      },
    })),
  );
  const values: Route = {
    method: 'GET',
    path: '/cloudCost/autocomplete',
    handle: (request) => handleValues(options, request),
  };
  return [...views, values];
}

/** The answer without what cannot be known: it says so, and is not that of any tag. */
function lackingReply(
  options: CloudOptions,
  plan: CloudPlan,
  { around, found, signal }: Answering,
): HttpReply {
  const { lacking } = found;
  const { contentType, tail, headers = {} } = around;
  const isJson = contentType === JSON_TYPE;
  const told = `,"warnings":${JSON.stringify(lacking)},"partial":true}`;
  const whole = isJson ? { ...around, tail: `${tail.slice(0, -1)}${told}` } : around;
  const more = isJson ? {} : warningsHeader(lacking, true);
  const chunks = answer(options, plan, { around: whole, found, signal });
  return stream(contentType, chunks, { ...headers, ...more });
}

async function handleValues(
  options: CloudOptions,
  { query: text, signal }: HttpRequest,
): Promise<HttpReply> {
  const { sets, pool, admission, calendar, nowMs } = options;
  const { window, query, asked } = readValuesPlan(parseQuery(text), calendar, nowMs());
  const leave = await admission.enter(signal);
  const values = withOwner(options, async (owner) => {
    const stored = sets.charges(window);
    const gathered = { stored, query, asked: { values: true }, signal } as const;
    const charges = await gather(options, owner, gathered);
    return await pool.run('cloudValues', { ...charges, query, asked, owner }, signal);
  });
  return json({ code: 200, data: await values.finally(leave) });
}

/** What an answer is made of. */
interface FoundSets {
  readonly stored: readonly StoredSet[];
  readonly assets: readonly StoredSet[];
  readonly lacking: readonly string[];
}

function setsOf({ sets }: CloudOptions, { window }: CloudPlan): FoundSets {
  const { stored: assets, lacking } = sets.assets(window);
  return { stored: sets.charges(window), assets, lacking };
}

interface Answering {
  readonly around: Frame;
  readonly found: FoundSets;
  readonly signal: AbortSignal;
}

async function* answer(
  options: CloudOptions,
  { query, shown }: CloudPlan,
  { around: { view, head, tail }, found: { stored, assets }, signal }: Answering,
): AsyncGenerator<Uint8Array> {
  const { pool, admission } = options;
  const leave = await admission.enter(signal);
  try {
    yield* textChunks(options, {
      head,
      tail,
      async write(owner) {
        const asked = { ...VIEWS[view].told(shown), assets };
        try {
          const charges = await gather(options, owner, { stored, query, asked, signal });
          const input = { ...charges, assets, query, shown, view, owner };
          return await pool.run('cloudCosts', input, signal);
        } catch (error) {
          if (error instanceof Unavailable) await options.sets.setAside(assets);
          throw error;
        }
      },
    });
  } finally {
    leave();
  }
}

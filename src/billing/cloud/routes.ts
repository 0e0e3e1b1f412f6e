/** GET /cloudCost and its views. */
import {
  chargeCaveats,
  gather,
  textChunks,
  type ToldCharges,
  type WrittenText,
} from '../charges/index.ts';
import { type Owner, withOwner } from '../../columnar/index.ts';
import { csvLine, windowOf } from '../../export/index.ts';
import {
  answering,
  answeringWhole,
  caveatFields,
  caveatHeaders,
  caveatMembers,
  inTurnWhileRead,
  json,
  type HttpReply,
  type QueryParams,
  type Route,
} from '../../http/index.ts';
import type { Admission, Compute } from '../../pool/index.ts';
import {
  isPassing,
  type Caveats,
  type Clock,
  oneOf,
  Unavailable,
  type Window,
  withNotes,
} from '../../query/index.ts';
import { originOf, type StoredSet } from '../../storage/index.ts';
import {
  readCloudPlan,
  readValuesPlan,
  type CloudPlan,
  type Layout,
  type ValuesPlan,
} from './params.ts';
import type { CloudTasks } from './tasks.ts';
import { VIEWS, type ViewName } from './write-views.ts';

/** Stored charges and assets. */
export interface CloudSets extends ToldCharges {
  /** All sets with charges in the window. */
  charges(window: Window): readonly StoredSet[];
  /** Assets of clusters in the window. */
  assets(window: Window): KnownAssets;
  /** Takes the damaged ones of the sets out of use. */
  setAside(stored: readonly StoredSet[]): Promise<void>;
}

export interface KnownAssets {
  /** Sets whose column `providerID` names the assets. */
  readonly stored: readonly StoredSet[];
  /** Warnings about damaged sets: resources that they name are not known to belong to clusters. */
  readonly lacking: readonly string[];
}

export interface CloudOptions {
  readonly sets: CloudSets;
  readonly compute: Compute<CloudTasks>;
  readonly clock: Clock;
  readonly admission: Admission;
}

/** The text around the texts of the windows. */
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
    layout: 'accumulated',
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
    layout: 'accumulated',
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
  const views = SHAPES.flatMap((shape) =>
    shape.paths.map((path): Route => ({
      method: 'GET',
      path,
      needs: 'viewer',
      scoping: 'joined',
      handle: viewed(options, shape),
    })),
  );
  const values: Route = {
    method: 'GET',
    path: '/cloudCost/autocomplete',
    needs: 'viewer',
    scoping: 'joined',
    handle: valued(options),
  };
  return [...views, values];
}

interface FramedPlan {
  readonly costs: CloudPlan;
  readonly frame: Frame;
}

function viewed(options: CloudOptions, { layout, frame }: Shape): Route['handle'] {
  const { compute, clock, admission } = options;
  return answering<FramedPlan, FoundSets>({
    plan(_, params) {
      const costs = readCloudPlan(params, clock.calendar, clock.nowMs(), layout);
      return { costs, frame: frame(params, costs) };
    },
    find: ({ costs }, ignored) => setsOf(options, costs, ignored),
    identity: ({ frame, costs: { asked: _asked, ...costs } }, { stored, assets, caveats }) => [
      frame,
      costs,
      stored.map(originOf),
      assets.map(originOf),
      caveats.warnings,
    ],
    isTagged: ({ isDamaged }) => !isDamaged,
    head: headOf,
    make: (plan, found, signal) => ({
      found: () => found,
      chunks: textChunks(compute, {
        head: plan.frame.head,
        write: (owner) => written(options, plan, { found, owner, signal }),
        tail: tailOf(plan, found),
      }),
    }),
    serving: inTurnWhileRead(admission),
  });
}

function headOf({ frame }: FramedPlan, { caveats }: FoundSets): HttpReply['headers'] {
  const { contentType, headers } = frame;
  const isJson = contentType === JSON_TYPE;
  const warnings = isJson ? {} : caveatHeaders(caveats);
  return { 'content-type': contentType, ...headers, ...warnings };
}

/** The end of the answer, with its warnings. */
function tailOf({ frame: { contentType, tail } }: FramedPlan, { caveats }: FoundSets): string {
  if (contentType !== JSON_TYPE) return tail;
  return `${tail.slice(0, -1)}${caveatMembers(caveats)}}`;
}

function valued(options: CloudOptions): Route['handle'] {
  const { sets, compute, clock, admission } = options;
  return answeringWhole<ValuesPlan, readonly string[]>({
    plan: (_, params) => readValuesPlan(params, clock.calendar, clock.nowMs()),
    turns: admission,
    value: ({ window, query, values }, { signal }) =>
      withOwner(compute, async (owner) => {
        const stored = sets.charges(window);
        const spec = { values: true } as const;
        const wanted = { stored, query, spec, owner, signal };
        const charges = await gather(compute, 'cloudSlice', wanted);
        return await compute.pool.run('cloudValues', { ...charges, values }, signal);
      }),
    reply(data, { window }, ignored) {
      const caveats = chargeCaveats(sets, { asked: window, window }, clock.nowMs());
      const told = caveatFields(withNotes(ignored, caveats));
      return json({ code: 200, data: { data }, ...told });
    },
    isTagged: () => false,
  });
}

/** The sets of an answer. */
interface FoundSets {
  readonly stored: readonly StoredSet[];
  readonly assets: readonly StoredSet[];
  readonly caveats: Caveats;
  /** Assets are damaged, which may be made again. */
  readonly isDamaged: boolean;
}

function setsOf(
  { sets, clock }: CloudOptions,
  plan: CloudPlan,
  ignored: readonly string[],
): FoundSets {
  const { window } = plan;
  const { stored: assets, lacking } = sets.assets(window);
  const caveats = chargeCaveats(sets, plan, clock.nowMs());
  caveats.lack(lacking);
  const isDamaged = lacking.length > 0;
  return { stored: sets.charges(window), assets, caveats: withNotes(ignored, caveats), isDamaged };
}

interface Wanted {
  readonly found: FoundSets;
  readonly owner: Owner;
  readonly signal: AbortSignal;
}

async function written(
  { sets, compute }: CloudOptions,
  { costs: { query, shown }, frame: { view } }: FramedPlan,
  { found: { stored, assets }, owner, signal }: Wanted,
): Promise<readonly WrittenText[]> {
  const spec = { ...VIEWS[view].columns(shown), assets };
  try {
    const wanted = { stored, query, spec, owner, signal };
    const charges = await gather(compute, 'cloudSlice', wanted);
    const input = { ...charges, assets, shown, view };
    return await compute.pool.run('cloudCosts', input, signal);
  } catch (error) {
    if (error instanceof Unavailable && !isPassing(error)) await sets.setAside(assets);
    throw error;
  }
}

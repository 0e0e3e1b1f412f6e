/**
 * A server on a folder of days that differ in what is known of them, beside the demo's store, and every
 * route and format that answers for a window.
 *
 *   day 0        day 1      day 2             day 3            day 4
 *   all known    missing    samples lacking   a mere warning   missing, today
 *                                           no external bill
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { USAGE_COLUMNS } from '../../../src/allocation/stored-rows.ts';
import { importFocus } from '../../../src/commands/import-focus.ts';
import type { EncodedSet, SetMeta } from '../../../src/storage/index.ts';
import { columnsOf, node } from '../stores/asset-days.ts';
import { folderOf, rowSet } from '../stores/columns-folder.ts';
import { focusCsv } from '../stores/focus-rows.ts';
import { dayKey, encoded, type Columns } from '../stores/stored-sets.ts';
import { collect, itemsOf, rowsOf } from './estate.ts';
import { startServerProcess, type ServerProcess } from './server-process.ts';

/** The one of day 2, and the one of day 3. */
export const GAP = 'the store was away for 3h';
export const ODD = 'samples were NaN or infinite: dropped';

export interface ToldRoute {
  /** With its query but for the window. */
  readonly path: string;
  /** Absent: GET. */
  readonly body?: string;
  readonly from: 'samples' | 'sets' | 'bills' | 'both';
  /** Refuses parameters that it does not know. */
  readonly isStrict?: boolean;
}

const MANIFEST = 'kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web}]}\n';
const FORMATS = ['json', 'csv', 'ndjson', 'arrow'] as const;
const of = (from: ToldRoute['from'], ...paths: readonly string[]): ToldRoute[] =>
  paths.map((path) => ({ from, path }));

/** Every route that takes a window, in every format that it has. */
export const TOLD_ROUTES: readonly ToldRoute[] = [
  ...of('samples', ...FORMATS.map((format) => `/model/allocation/compute?format=${format}`)),
  ...of(
    'sets',
    ...FORMATS.map((format) => `/model/allocation?format=${format}`),
    '/model/allocation?accumulate=true&aggregate=namespace',

    '/model/allocation?accumulate=true&format=csv&columns=full',
    '/model/allocation/summary?aggregate=namespace',
    ...['csv', 'ndjson'].map((format) => `/model/allocation/summary?format=${format}`),
    '/model/allocation/summary/topline?',
    '/model/allocation/autocomplete?field=namespace',
    '/model/assets?',
    '/model/assets?format=csv',
    '/model/assets/topline?',
    '/model/savings/requestSizing?',
    '/model/savings/requestSizing/topline?',
    '/model/savings/requestSizingV2?',
    '/model/savings/requestSizingV2?format=csv',
    '/model/savings/requestSizingV2?shape=array',
    '/model/savings/requestSizingV2/topline?',
    '/model/savings/clusterSizingETL?',
    '/model/collections/query/total?category=Team',
    '/model/collections/query/timeseries?category=Team',
  ),
  { from: 'sets', path: '/model/prediction/speccost?clusterID=c&defaultNamespace=web', body: MANIFEST },
  ...of('sets', '', '/cloud', '/kubernetes').map(({ from, path }): ToldRoute => {
    return { from, path: `/model/collection/query/complement${path}?category=Team`, isStrict: true };
  }),
  ...of(
    'both',
    '/model/allocation?external=true',
    '/model/allocation?external=true&format=ndjson',
    '/model/allocation/compute?external=true&aggregate=cluster',
    '/model/allocation/compute?external=true&aggregate=cluster&format=csv',
  ),
  ...of(
    'bills',
    '/model/cloudCost?',
    '/model/cloudCost/aggregate?',
    '/model/cloudCost/view/table?',
    '/model/cloudCost/view/table?format=csv',
    '/model/cloudCost/view/totals?',
    '/model/cloudCost/view/trends?',
    '/model/cloudCost/view/graph?',
    '/model/cloudCost/autocomplete?field=service',
    '/model/customCost/timeseries?',
    '/model/customCost/total?',
  ),
]; // prettier-ignore

/** What an answer tells of itself, wherever its format has room for it. */
export interface ToldOfItself {
  readonly status: number;
  readonly text: string;
  readonly warnings: string;
  /** `true`, or nothing. */
  readonly partial: string;
}

export interface ToldWorld {
  ask(route: ToldRoute, window: string, more?: string): Promise<ToldOfItself>;
  stop(): Promise<void>;
}

/** @param bills as what bills are imported */
export async function startToldWorld(bills: readonly ('cloud' | 'external')[]): Promise<ToldWorld> {
  const folder = await folderOf(await storedDays());
  const home = mkdtempSync(join(tmpdir(), 'prorata-told-'));
  for (const as of bills) {
    const file = join(home, `${as}.csv`);
    writeFileSync(file, focusCsv(...BILLED[as].map(charge)));
    const flags = [`--data-dir=${folder}`, '--source=s', '--workers=1', '--quiet'];
    await importFocus([file, `--as=${as}`, ...flags]);
  }
  const server = await startServerProcess([
    '--now=2024-05-05T12:00:00Z',
    '--timezone=UTC',
    '--workers=1',
    '--refresh=0',
    '--demo=true',
    `--data-dir=${folder}`,
  ]);
  const groups = [rowsOf('namespace:"web"'), itemsOf('service:"EC2"')];
  await collect(server, { name: 'web', category: 'Team', groups });
  return {
    ask: (route, window, more = '') => told(server, route, `&window=${window}${more}`),
    async stop() {
      const code = await server.stop();
      rmSync(home, { recursive: true, force: true });
      rmSync(folder, { recursive: true, force: true });
      if (code !== 0) throw new Error(`the server ended with ${code}`);
    },
  };
}

const BILLED = { cloud: [-1, 0, 2, 3], external: [-1, 0, 2] } as const;

/** Billed by the day: bills of two days leave the time between them unknown. */
function charge(day: number): Readonly<Record<string, string>> {
  const { startMs, endMs } = dayKey(day);
  const [start = '', end = ''] = [startMs, endMs].map((ms) => new Date(ms).toISOString());
  return {
    BillingPeriodStart: start,
    BillingPeriodEnd: end,
    ChargePeriodStart: start,
    ChargePeriodEnd: end,
    ResourceId: 'i-n',
  };
}

const KNOWN_OF: readonly (readonly [day: number, meta: Partial<SetMeta>])[] = [
  [0, {}],
  [2, { hasGaps: true, warnings: [GAP] }],
  [3, { warnings: [ODD] }],
];

async function storedDays(): Promise<EncodedSet[]> {
  const days = KNOWN_OF.map(([day, meta]) => {
    const row = {
      texts: { cluster: 'c', node: 'n', namespace: 'web', pod: 'p', container: 'main', controller: 'web', controllerKind: 'deployment' },
      numbers: { cpuCost: 1, ramCost: 1, cpuCoreHours: 24, ramByteHours: 2 ** 30 },
    }; // prettier-ignore
    const nodes = [node('c', 'n', { providerID: 'i-n', cpuCoreHours: 96, ramByteHours: 2 ** 36, cpuCost: 4, ramCost: 2 })]; // prettier-ignore
    const own = { timezone: 'UTC', ...meta };
    return [
      rowSet(dayKey(day), [row], own),
      encoded(dayKey(day, 'assets'), columnsOf(day, nodes), own),
      encoded(dayKey(day, 'usage'), NO_USAGE, own),
    ];
  });
  return await Promise.all(days.flat());
}

/** Nobody used anything. */
const NO_USAGE: Columns = Object.fromEntries(
  [...USAGE_COLUMNS.texts, ...USAGE_COLUMNS.numbers].map((name) => [name, []]),
);

async function told(
  { url }: ServerProcess,
  { path, body }: ToldRoute,
  query: string,
): Promise<ToldOfItself> {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', body, headers };
  const reply = await fetch(url + path + query, init);
  const text = await reply.text();
  const head = {
    warnings: reply.headers.get('x-prorata-warnings') ?? '',
    partial: reply.headers.get('x-prorata-partial') ?? '',
  };
  const isObject = reply.headers.get('content-type') === 'application/json' && text[0] === '{';
  const { warnings = [], partial } = (isObject ? JSON.parse(text) : {}) as {
    readonly warnings?: readonly string[];
    readonly partial?: boolean;
  };
  const own = { warnings: warnings.join('; '), partial: partial === undefined ? '' : String(partial) };
  return { status: reply.status, text, ...(isObject ? own : head) };
} // prettier-ignore

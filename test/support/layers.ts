/** The house rules of who imports whom: layers of folders, doors of folders, rooms within a folder. */
import { importsOf, type Import, type SourceFile } from './source-text.ts';

type Rule = (files: readonly SourceFile[]) => string[];

/** Folders of src by layer; a folder imports from layers below, of its own layer only EDGES. */
const LAYERS: readonly (readonly string[])[] = [
  ['web'], // what browsers run: nothing of the server
  ['columnar'],
  ['query'],
  [
    'metrics',
    'cluster',
    'pricing',
    'storage',
    'pool',
    'cache',
    'export',
    'http',
    'billing/focus',
    'buckets',
  ],
  ['tsdb'],
  ['demo', 'agent', 'receiver', 'blocks', 'stores'],
  [
    'billing/deliveries',
    'billing/charges',
    'billing/cloud',
    'billing/external',
    'assets',
    'allocation',
    'collections',
    'request-sizing',
    'cluster-sizing',
    'prediction',
    'audit',
    'installation',
    'savings',
    'access',
    'page',
    'mcp',
  ],
  ['settings'],
  ['terminal'],
  ['server'],
  ['commands'],
  [''],
];

const EDGES: Readonly<Record<string, readonly string[]>> = {
  storage: ['buckets', 'export'],
  assets: ['billing/deliveries'],
  allocation: ['assets', 'billing/deliveries', 'billing/external'],
  'billing/cloud': ['billing/charges'],
  'billing/external': ['billing/deliveries', 'billing/charges'],
  collections: ['allocation', 'billing/cloud'],
  'request-sizing': ['allocation'],
  'cluster-sizing': ['allocation', 'assets'],
  prediction: ['allocation'],
  audit: ['prediction'],
  installation: ['allocation', 'assets'],
  savings: ['allocation', 'assets', 'cluster-sizing', 'request-sizing'],
};

/** Folders without a door: each of their files is for the folders above. */
const OPEN: readonly string[] = ['', 'commands', 'server', 'settings', 'terminal'];

/**
 * Rooms of a folder, in order: a room imports from those before it. Files that stand in the folder
 * itself are its doors, which import any room and are imported by none.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  allocation: [
    'row',
    'query',
    'reconcile',
    'reduced',
    'inventory',
    'evidence',
    'ledger',
    'sets',
    'params',
    'formats',
    'caches',
    'stored',
    'compute',
    'build',
    'rates',
    'import',
  ],
  tsdb: ['format', 'folder'],
  blocks: ['places', 'catalogue', 'reading', 'thread'],
};

/** Doors beside index.ts. A worker must not load what talks to the outside, as an index.ts would. */
const SIDE_DOORS: readonly string[] = [
  'src/assets/billed.ts', // what a bill says of assets, which allocations are reconciled with
  'src/assets/recent-bill.ts', // which days tell of others,
  'src/assets/node-costs.ts', // what nodes cost by where prices come from
  'src/assets/recent-prices.ts', // and at which prices
  'src/assets/columns.ts', // what is stored of assets, which workers build
  'src/assets/tasks.ts', // what workers do for assets
  'src/assets/asset-list.ts', // assets one by one, for reports
  'src/installation/tasks.ts', // what workers do for reports of nodes
  'src/savings/tasks.ts', // and for savings
  'src/allocation/tasks.ts', // the computing half of allocation
  'src/allocation/stored/tasks.ts', // and of stored sets
  'src/billing/deliveries/tasks.ts', // and of bills
  'src/cluster-sizing/tasks.ts', // and of cluster sizing
  'src/prediction/tasks.ts', // and of cost prediction
  'src/billing/cloud/tasks.ts', // and of cloud costs
  'src/collections/tasks.ts', // and of collections
  'src/billing/external/tasks.ts', // and of external costs
  'src/allocation/stored-rows.ts', // and what rows of theirs mean
  'src/request-sizing/tasks.ts',
  'src/receiver/ingest/thread.ts', // what the receiver's thread runs
  'src/blocks/thread/run-thread.ts', // and the one that reads blocks
  'src/metrics/readers/snappy.ts', // and its requests unpacked, without clients of stores
  'src/metrics/catalogue.ts', // names of metrics and labels, no reader
  'src/metrics/matching.ts', // matchers of labels, no reader
  'src/metrics/field-heads.ts', // bytes before labels, no reader
  'src/storage/disk.ts', // syncing and renaming, no format
  'src/storage/disk-error.ts', // and what a disk refuses
  'src/storage/copies.ts', // copying sets, which talks to servers
  'src/storage/objects/object-sets.ts', // sets in buckets, which workers do not talk to
  'src/storage/objects/built-sets.ts', // and as their builder changes them
  'src/storage/objects/lease.ts', // and who builds
  'src/storage/objects/fsck.ts', // and what is checked of them
  'src/storage/objects/place.ts', // and where they lie
  'src/storage/objects/shared-value.ts', // and what lies beside them
  'src/storage/objects/object-logs.ts', // and logs beside them
  'src/storage/clickhouse/clickhouse-sets.ts', // sets in ClickHouse, which workers do not talk to
  'src/storage/clickhouse/clickhouse-store.ts', // and without a cache
  'src/storage/clickhouse/clickhouse-url.ts', // and where they lie
  'src/storage/clickhouse/push-mode.ts', // and when it adds up
  'src/billing/focus/parquet.ts', // what the thread that decodes Parquet runs
  'src/pool/guarded-thread.ts', // and how it answers
  'src/pool/slices.ts', // lists in parts
  'src/pool/task.ts', // packing, not Piscina
];

export const importDirection: Rule = (files) =>
  productImports(files).flatMap(({ from, to }) => {
    if (!to.startsWith('src/')) return [`${from}: imports ${to}; src imports only src`];
    const [here, there] = [folderOf(from), folderOf(to)];
    const [layer, other] = [layerOf(here), layerOf(there)];
    if (layer < 0) return [`${from}: src/${here}/ has no layer; give it one in LAYERS`];
    if (here === there || other < layer || EDGES[here]?.includes(there)) return [];
    return [
      `${from}: imports ${to}, which is not below it; move what both need into a lower folder, ` +
        'or hand it in from src/commands',
    ];
  });

export const doors: Rule = (files) =>
  files.flatMap(importsOf).flatMap(({ from, to, isPackage }) => {
    if (isPackage || !/^(src|workers)\//.test(from) || !to.startsWith('src/')) return [];
    const there = folderOf(to);
    const door = `src/${there}/index.ts`;
    if (from.startsWith(`src/${there}/`) && from !== door) return ownDoor(from, to);
    if (OPEN.includes(there) || to === door || from === door) return [];
    if (SIDE_DOORS.includes(to)) return [];
    return [`${from}: imports ${to}; import ${door}, which exports what is public`];
  });

/** A folder's files that go out by their own index.ts and in again make cycles. */
function ownDoor(from: string, to: string): string[] {
  return to.endsWith('/index.ts') ? [`${from}: imports ${to}; import the file itself`] : [];
}

export const rooms: Rule = (files) =>
  productImports(files).flatMap(({ from, to }) => {
    const folder = folderOf(from);
    const order = ROOMS[folder];
    if (order === undefined || folderOf(to) !== folder) return [];
    const [here, there] = [roomOf(from), roomOf(to)];
    if (here === '' || here === there) return [];
    const [place, other] = [order.indexOf(here), order.indexOf(there)];
    if (place < 0)
      return [`${from}: ${here} is no room of src/${folder}; give it a place in ROOMS`];
    if (other >= 0 && other < place) return [];
    return [
      `${from}: imports ${to}, of a room that does not come before ${here}; move what both need`,
    ];
  });

/** Imports of files by files of src. */
function productImports(files: readonly SourceFile[]): Import[] {
  return files
    .flatMap(importsOf)
    .filter(({ from, isPackage }) => from.startsWith('src/') && !isPackage);
}

/** The folder within src, of two parts within billing: '' for files that stand in src itself. */
function folderOf(path: string): string {
  const [first = '', second] = path.split('/').slice(1, -1);
  return first === 'billing' && second !== undefined ? `${first}/${second}` : first;
}

/** The folder within the folder: '' for its doors. */
function roomOf(path: string): string {
  return path.split('/').slice(2, -1)[0] ?? '';
}

function layerOf(folder: string): number {
  return LAYERS.findIndex((layer) => layer.includes(folder));
}

/**
 * The house rules: each takes the tree's files and returns a sentence for every break, with what to
 * do instead.
 */
import { codeOf, importsOf, type Import, type SourceFile } from './source-text.ts';

export type Rule = (files: readonly SourceFile[]) => string[];

/** Folders of src by layer; a folder imports from layers below, of its own layer only EDGES. */
const LAYERS: readonly (readonly string[])[] = [
  ['columnar'],
  ['query'],
  ['metrics', 'cluster', 'pricing', 'storage', 'pool', 'export', 'http', 'focus'],
  [
    'bills',
    'charges',
    'assets',
    'allocation',
    'cloud',
    'external',
    'collections',
    'request-sizing',
    'cluster-sizing',
    'prediction',
    'audit',
    'web',
  ],
  ['commands', ''],
];

const EDGES: Readonly<Record<string, readonly string[]>> = {
  assets: ['bills'],
  allocation: ['assets', 'bills', 'external'],
  cloud: ['charges'],
  external: ['bills', 'charges'],
  collections: ['allocation', 'cloud'],
  'request-sizing': ['allocation'],
  'cluster-sizing': ['allocation', 'assets'],
  prediction: ['allocation'],
  audit: ['prediction'],
  commands: [''],
  '': ['commands'],
};

/** Doors beside index.ts. A worker must not load what talks to the outside, as an index.ts would. */
const SIDE_DOORS: readonly string[] = [
  'src/assets/billed.ts', // what a bill says of assets, which allocations are reconciled with
  'src/assets/columns.ts', // what is stored of assets, which workers build
  'src/assets/tasks.ts', // what workers do for assets
  'src/allocation/tasks.ts', // the computing half of allocation
  'src/allocation/stored-tasks.ts', // and of stored sets
  'src/bills/tasks.ts', // and of bills
  'src/cluster-sizing/tasks.ts', // and of cluster sizing
  'src/prediction/tasks.ts', // and of cost prediction
  'src/cloud/tasks.ts', // and of cloud costs
  'src/collections/tasks.ts', // and of collections
  'src/external/tasks.ts', // and of external costs
  'src/allocation/stored-rows.ts', // and what rows of theirs mean
  'src/request-sizing/tasks.ts',
  'src/metrics/catalogue.ts', // names of metrics and labels, no reader
  'src/pool/task.ts', // packing, not Piscina
];

/** The adapter of each third-party package. */
export const ADAPTERS: Readonly<Record<string, readonly string[]>> = {
  '@bufbuild/protobuf': ['src/metrics/remote-read-request.ts'],
  '@kubernetes/client-node': ['src/cluster/kubeconfig.ts'],
  ajv: ['src/query/shape.ts'],
  'apache-arrow': ['src/storage/arrow.ts'],
  fzstd: ['src/focus/zstd.ts'],
  highs: ['src/cluster-sizing/integer-program.ts'],
  hyparquet: ['src/focus/parquet.ts'],
  'hyparquet-compressors': ['src/focus/parquet.ts'],
  'hyparquet-writer': ['src/export/parquet.ts'],
  luxon: ['src/query/calendar.ts'],
  msgpackr: ['src/pool/task.ts'],
  pino: ['src/log.ts'],
  piscina: ['src/pool/pool.ts'],
  snappyjs: ['src/metrics/snappy.ts'],
  // A thread registers a loader of its own, before anything in TypeScript can be imported.
  tsx: ['src/prorata.js', 'workers/load.js'],
  undici: ['src/metrics/http-agent.ts'],
  'uWebSockets.js': ['src/http/uws-engine.ts'],
  yaml: ['src/query/yaml.ts'],
};

/** Started by package.json, by the bundle or by a path in a URL, never imported. */
const ENTRIES: readonly string[] = [
  'src/prorata.js',
  'src/source-lines.ts', // the bundle begins with it
  'workers/entry.js',
  'workers/bills-entry.js',
];

const WORKER = 'workers/compute.ts';
/** What a worker may load of metrics: what metrics are called, not how they are read. */
const WORKER_METRICS = [
  'src/metrics/catalogue.ts',
  'src/metrics/node-labels.ts',
  'src/metrics/source.ts',
];

const LINES_MAX = 300;
const BANNED_NAMES = ['util', 'utils', 'helper', 'helpers', 'common', 'manager'];

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
    if (['', 'commands'].includes(there) || to === door || from === door) return [];
    if (SIDE_DOORS.includes(to)) return [];
    return [`${from}: imports ${to}; import ${door}, which exports what is public`];
  });

/** A folder's files that go out by their own index.ts and in again make cycles. */
function ownDoor(from: string, to: string): string[] {
  return to.endsWith('/index.ts') ? [`${from}: imports ${to}; import the file itself`] : [];
}

export const cycles: Rule = (files) => {
  const targets = graph(files.flatMap(importsOf));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) {
      const round = [...trail.slice(at), path].join(' -> ');
      found.push(`${round}: imports go round; move what they share into a file of its own`);
    }
    if (at >= 0 || done.has(path)) return;
    for (const next of targets.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return found;
};

export const adapters: Rule = (files) => {
  const imports = files
    .flatMap(importsOf)
    .filter(({ from, isPackage }) => isPackage && /^(src|workers)\//.test(from));
  const strangers = imports.flatMap(({ from, to }) => {
    const homes = ADAPTERS[to];
    if (homes === undefined) return [`${from}: imports ${to}; name its one file in ADAPTERS`];
    return homes.includes(from) ? [] : [`${from}: imports ${to}; use ${homes.join(' or ')}`];
  });
  const present = new Set(files.map(({ path }) => path));
  const unused = Object.entries(ADAPTERS).flatMap(([name, homes]) =>
    homes
      .filter((home) => present.has(home))
      .filter((home) => !imports.some(({ from, to }) => from === home && to === name))
      .map((home) => `${home}: does not import ${name}; take it out of ADAPTERS`),
  );
  return [...strangers, ...unused];
};

export const workerReach: Rule = (files) => {
  const targets = graph(files.flatMap(importsOf).filter(({ isType }) => !isType));
  const trails = new Map<string, string>([[WORKER, WORKER]]);
  for (const [path, trail] of trails) {
    if (talks(path)) continue; // its own imports are no further breaks
    for (const next of targets.get(path) ?? []) {
      if (!trails.has(next)) trails.set(next, `${trail} -> ${next}`);
    }
  }
  return [...trails]
    .filter(([path]) => talks(path))
    .map(([, trail]) => `${trail}: a worker computes and does not talk; hand in what it needs`);
};

function talks(path: string): boolean {
  if (WORKER_METRICS.includes(path)) return false;
  return /^src\/(http|cluster|metrics|commands)\//.test(path) || path === 'src/pool/pool.ts';
}

export const deadFiles: Rule = (files) => {
  const used = new Set(
    files
      .filter(({ path }) => !path.startsWith('test/'))
      .flatMap(importsOf)
      .map(({ to }) => to),
  );
  return files
    .map(({ path }) => path)
    .filter((path) => /^(src|workers)\//.test(path) && !/^workers\/kernels\/|\.d\.ts$/.test(path))
    .filter((path) => !used.has(path) && !ENTRIES.includes(path))
    .map((path) => `${path}: nothing imports it (tests do not count); use it or delete it`);
};

export const fileLength: Rule = (files) =>
  files.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - 1;
    const isFine = lines <= LINES_MAX;
    return isFine ? [] : [`${path}: ${lines} lines, at most ${LINES_MAX}; split it by idea`];
  });

export const leftOvers: Rule = (files) =>
  eachLine(
    files,
    ({ text }) => text,
    (line) => new RegExp(`\\b(${['FIX' + 'ME', 'TO' + 'DO'].join('|')})\\b`).exec(line)?.[0],
  ).map((each) => `${each}; do it, or say in the file's head what is not there`);

export const bannedNames: Rule = (files) => [
  ...files
    .filter(({ path }) => path.split(/[/.-]/).some((word) => BANNED_NAMES.includes(word)))
    .map(({ path }) => `${path}: says nothing of its content; name the file for its one idea`),
  ...eachLine(files, codeOf, (line) =>
    DECLARED.exec(line)?.[1]
      ?.split(/(?=[A-Z])|_/)
      .slice(-1)
      .find((word) => BANNED_NAMES.includes(word.toLowerCase())),
  ).map((each) => `${each}; name it for what it does`),
];

const DECLARED = /\b(?:function\*?|class|interface|type) ([A-Za-z_]\w*)/;

export const noAny: Rule = (files) =>
  eachLine(
    files,
    codeOf,
    (line) => /[:<|,(&=?]\s*any\b(?!\s*[(:.])|\bas any\b/.exec(line)?.[0],
  ).map((each) => `${each}; use unknown and narrow it, or the type itself`);

export const arenaViews: Rule = (files) =>
  eachLine(
    files.filter(({ path }) => /^(src|workers)\//.test(path) && path !== 'src/columnar/arena.ts'),
    codeOf,
    (line) => /\barena\.buffer, /.exec(line)?.[0],
  ).map(
    (each) => `${each}; use arena.u8 to arena.text, which see whether the address is of its run`,
  );

export const headers: Rule = (files) =>
  files
    .filter(({ path }) => /^(src\/(columnar|storage)|workers)\//.test(path))
    .filter(({ path, text }) => !path.endsWith('/index.ts') && !/^\/[/*]/.test(text))
    .map(({ path }) => `${path}: begins without a comment; say what it holds, and draw its shape`);

export const kebabCase: Rule = (files) =>
  files
    .filter(({ path }) => !/^([a-z0-9-]+\/)+[a-z0-9-]+(\.test|\.d)?\.[jt]s$/.test(path))
    .map(({ path }) => `${path}: file names are kebab-case`);

/** Imports of files by files of src. */
function productImports(files: readonly SourceFile[]): Import[] {
  return files
    .flatMap(importsOf)
    .filter(({ from, isPackage }) => from.startsWith('src/') && !isPackage);
}

function graph(imports: readonly Import[]): ReadonlyMap<string, readonly string[]> {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  return targets;
}

/** The folder within src: '' for files that stand in src itself. */
function folderOf(path: string): string {
  return path.split('/').slice(1, -1)[0] ?? '';
}

function layerOf(folder: string): number {
  return LAYERS.findIndex((layer) => layer.includes(folder));
}

/** `path:line: what` for each line in which `find` sees something. */
function eachLine(
  files: readonly SourceFile[],
  textOf: (file: SourceFile) => string,
  find: (line: string) => string | false | undefined,
): string[] {
  return files.flatMap((file) =>
    textOf(file)
      .split('\n')
      .map((line, index) => ({ what: find(line), at: `${file.path}:${index + 1}` }))
      .filter(({ what }) => what !== undefined && what !== false)
      .map(({ what, at }) => `${at}: ${what}`),
  );
}

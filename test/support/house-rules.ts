/**
 * The house rules: each takes the tree's files and returns a sentence for every break, with what to
 * do instead.
 */
import { codeOf, importsOf, type Import, type SourceFile } from './source-text.ts';

export { ownFolder } from './own-folder.ts';
export { subjectFirst, wideLogic } from './plain-words.ts';

export type Rule = (files: readonly SourceFile[]) => string[];

/** The adapter of each third-party package. */
export const ADAPTERS: Readonly<Record<string, readonly string[]>> = {
  '@preact/signals': ['src/web/preact.ts'],
  '@bufbuild/protobuf': ['src/metrics/readers/remote-read-request.ts'],
  '@kubernetes/client-node': ['src/cluster/kubeconfig.ts'],
  '@modelcontextprotocol/sdk': ['src/mcp/protocol.ts'],
  ajv: ['src/query/text/shape.ts'],
  'apache-arrow': ['src/storage/arrow/arrow.ts'],
  fzstd: ['src/billing/focus/zstd.ts'],
  highs: ['src/cluster-sizing/integer-program.ts'],
  hyparquet: ['src/billing/focus/parquet.ts'],
  'hyparquet-compressors': ['src/billing/focus/parquet.ts'],
  hysnappy: ['src/metrics/readers/snappy.ts'],
  jose: ['src/access/jwt.ts'],
  luxon: ['src/query/time/calendar.ts'],
  msgpackr: ['src/pool/task.ts'],
  pino: ['src/terminal/log.ts'],
  piscina: ['src/pool/pool.ts'],
  preact: ['src/web/preact.ts'],
  'node-sqlite3-wasm': ['src/receiver/ingest/sqlite.ts'],
  // A thread registers a loader of its own, before anything in TypeScript can be imported.
  tsx: ['src/prorata.js', 'workers/load.js'],
  undici: ['src/metrics/client/http-agent.ts'],
  'uWebSockets.js': ['src/http/uws/engine.ts'],
  yaml: ['src/query/text/yaml.ts'],
};

/** Started by package.json, by the bundle or by a path in a URL, never imported. */
const ENTRIES: readonly string[] = [
  'src/prorata.js',
  'src/source-lines.ts', // the bundle begins with it
  'workers/entry.js',
  'workers/bills-entry.js',
  'workers/receiver-entry.js',
  'workers/blocks-entry.js',
  'workers/parquet-entry.js',
  'src/web/main.tsx', // the page begins with it
];

const WORKER = 'workers/compute.ts';
/** What a worker may load of metrics: what metrics are called, not how they are read. */
const WORKER_METRICS = [
  'src/metrics/own-series.ts',
  'src/metrics/catalogue.ts',
  'src/metrics/accelerators.ts',
  'src/metrics/node-labels.ts',
  'src/metrics/source.ts',
  'src/metrics/usage.ts',
];

/** A longer file is either a table or two chapters. */
const LINES_MAX = 800;
const BANNED_NAMES = ['util', 'utils', 'helper', 'helpers', 'common', 'manager'];

export { doors, importDirection, rooms } from './layers.ts';

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
  return (
    /^src\/(http|cluster|metrics|commands|buckets)\//.test(path) || path === 'src/pool/pool.ts'
  );
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
    files.filter(
      ({ path }) => /^(src|workers)\//.test(path) && path !== 'src/columnar/memory/arena.ts',
    ),
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
    .filter(({ path }) => !/^([a-z0-9-]+\/)+[a-z0-9-]+((\.test|\.d)?\.[jt]s|\.tsx)$/.test(path))
    .map(({ path }) => `${path}: file names are kebab-case`);

function graph(imports: readonly Import[]): ReadonlyMap<string, readonly string[]> {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  return targets;
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

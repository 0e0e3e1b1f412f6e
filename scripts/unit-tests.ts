/**
 * Imports of test files: which of them are unit tests, and which a change can reach.
 *
 * A test file is not a unit test if a value that it imports, directly or through other files, can open
 * something outside the process: a child process, a thread, a socket, a server. Stores of metrics are
 * processes or servers.
 *
 * Imports are followed by name through files that only pass names on: who takes `createAdmission`
 * from `src/pool/index.ts` does not get Piscina. Beyond that a file counts whole.
 */
import { posix } from 'node:path';
import type { SourceFile } from '../test/support/source-text.ts';

/** What opens something, by module: all that it exports, or some names. */
const OPENERS: Readonly<Record<string, readonly string[] | 'all'>> = {
  'node:child_process': 'all',
  'node:cluster': 'all',
  'node:dgram': 'all',
  'node:net': ['connect', 'createConnection', 'createServer', 'Server', 'Socket'],
  'node:tls': ['connect', 'createServer', 'Server', 'TLSSocket'],
  'node:http': ['Agent', 'createServer', 'get', 'request', 'Server'],
  'node:https': ['Agent', 'createServer', 'get', 'request', 'Server'],
  'node:http2': 'all',
  'node:worker_threads': ['Worker'],
  esbuild: 'all',
  piscina: 'all',
  'playwright-core': 'all',
  // The compiler of kernels reads its WebAssembly by fetch.
  'assemblyscript/asc': 'all',
  assemblyscript: 'all',
  undici: 'all',
  'uWebSockets.js': 'all',
};

/** Node has it without an import. */
const FETCH = /(?<![\w.'])fetch\(/;

/** What one statement takes of a module: names as they are there, or all. */
interface Taken {
  readonly from: string;
  /** Name there by name here. */
  readonly names: ReadonlyMap<string, string> | 'all';
  readonly isPassedOn: boolean;
}

const STATEMENT = /^(import|export) (?!type\b)([^;'"]*?) from '([^']+)'/gm;
const BARE = /^import '([^']+)'/gm;
const CALL = /\bimport\('([^']+)'\)/g;

export interface TestKinds {
  readonly unit: readonly string[];
  /** The others, each with how it gets outside: `test/a.test.ts -> test/b.ts -> node:net`. */
  readonly wide: ReadonlyMap<string, string>;
}

/** @param files all that may be imported, with paths from the root */
export function testKinds(files: readonly SourceFile[]): TestKinds {
  const modules = new Map(files.map((file) => [file.path, file]));
  const unit: string[] = [];
  const wide = new Map<string, string>();
  for (const { path } of files.filter((file) => file.path.endsWith('.test.ts'))) {
    const trail = wayOut(path, modules);
    if (trail === undefined) unit.push(path);
    else wide.set(path, trail);
  }
  return { unit, wide };
}

function wayOut(start: string, modules: ReadonlyMap<string, SourceFile>): string | undefined {
  for (const { file, trail, name } of walk(start, modules)) {
    const { taken, isFetching } = read(file);
    if (isFetching) return `${trail} -> fetch`;
    const opener = needed(taken, name).find(opens);
    if (opener !== undefined) return `${trail} -> ${opener.from}`;
  }
  return undefined;
}

interface Visit {
  readonly file: SourceFile;
  /** The name that is taken of the file, or `all`. */
  readonly name: string;
  /** How it was reached: `test/a.test.ts -> test/b.ts`. */
  readonly trail: string;
}

/** A name of a file, or `all` of it. */
interface Taking {
  readonly path: string;
  readonly name: string;
}

/** Visits the files that a file imports, directly or through others, name by name. */
function* walk(start: string, modules: ReadonlyMap<string, SourceFile>): Generator<Visit> {
  const seen = new Set<string>();
  const rest: (Taking & { readonly trail: string })[] = [
    { path: start, name: 'all', trail: start },
  ];
  for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
    const { path, name, trail } = at;
    if (seen.has(`${path} ${name}`)) continue;
    seen.add(`${path} ${name}`);
    const file = modules.get(path);
    if (file === undefined) continue;
    yield { file, name, trail };
    for (const next of takings(file, name))
      rest.push({ ...next, trail: `${trail} -> ${next.path}` });
  }
}

function takings(file: SourceFile, name: string): Taking[] {
  return needed(read(file).taken, name).flatMap(({ from, names }) =>
    names === 'all'
      ? [{ path: from, name: 'all' }]
      : [...names.values()].map((wanted) => ({ path: from, name: wanted })),
  );
}

/** A change of these can change every test. */
const ALL =
  /^(package(-lock)?\.json|\.npmrc|scripts\/(bundle-tests|build-(bundle|kernels|page)|unit-guard|property-seed)\.[jt]s)$/;
/** Starts the product, or a thread of it, by path. */
const STARTS_PRODUCT = /\bprorata\.js'|\bbundleFolder\b/;
const STARTS_THREAD = /workers\/([a-z]+-)?entry\.js'/;
const READS_KERNELS = /kernels\.wasm/;
const READS_ALL_SOURCES = /\bsourceFiles\b/;
const URL_OF = /new URL\(\s*['`]([^'`$]+)/g;

export interface Reached {
  readonly reached: ReadonlySet<string>;
  /** Lines to print: files that changed, and the number of test files that reach each. */
  readonly because: readonly string[];
}

/**
 * @param files all that may be imported, with paths from the root
 * @param changed paths from the root. A file that is not code counts as reached by tests and scripts that
 *   name it or its folder.
 * @returns test files that import a changed file, start the product that contains it, or read it by name
 */
export function reachedTests(files: readonly SourceFile[], changed: readonly string[]): Reached {
  const tests = files.map(({ path }) => path).filter((path) => path.endsWith('.test.ts'));
  const importers = reversed(files, tests);
  const readers = files.filter(({ path }) => /^(test|scripts)\//.test(path));
  const allReaders = readers.filter(({ text }) => READS_ALL_SOURCES.test(text));
  const sources = new Set(files.map(({ path }) => path));
  const reached = new Set<string>();
  const because = changed.map((path) => {
    const named = sources.has(path) ? allReaders : readers.filter(({ text }) => names(text, path));
    const starts = [path, ...named.map((reader) => reader.path)];
    const found = ALL.test(path) ? tests : backwards(starts, importers).filter(isTest);
    for (const test of found) reached.add(test);
    return `${path}: ${found.length} test files`;
  });
  return { reached, because };
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

/** Nodes are a file, and each name that is taken of it: `path`, `path name`. @returns by node, those that take it */
function reversed(
  files: readonly SourceFile[],
  starts: readonly string[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const modules = new Map(files.map((file) => [file.path, file]));
  const workers = files.map(({ path }) => path).filter((path) => path.startsWith('workers/'));
  const importers = new Map<string, Set<string>>();
  const seen = new Set<string>();
  const rest: Taking[] = starts.map((path) => ({ path, name: 'all' }));
  for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
    const node = `${at.path} ${at.name}`;
    const file = modules.get(at.path);
    if (file === undefined || seen.has(node)) continue;
    seen.add(node);
    link(importers, at.path, node);
    const started = startedBy(file, workers).map((path) => ({ path, name: 'all' }));
    for (const next of [...takings(file, at.name), ...started]) {
      link(importers, `${next.path} ${next.name}`, node);
      rest.push(next);
    }
  }
  return importers;
}

function link(importers: Map<string, Set<string>>, to: string, from: string): void {
  const known = importers.get(to);
  if (known === undefined) importers.set(to, new Set([from]));
  else known.add(from);
}

/** @returns paths of all that take one of the files, directly or not, and the files themselves */
function backwards(
  starts: readonly string[],
  importers: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const seen = new Set(starts);
  for (const node of seen) for (const from of importers.get(node) ?? []) seen.add(from);
  return [...new Set([...seen].map((node) => node.split(' ', 1)[0] ?? node))];
}

/** Files that a file starts or reads by path: the product, its threads, a script. */
function startedBy({ path, text }: SourceFile, workers: readonly string[]): readonly string[] {
  const isProduct = /^(test|bench)\//.test(path) && STARTS_PRODUCT.test(text);
  const isKernels = (worker: string): boolean => worker.startsWith('workers/kernels/');
  return [
    ...(isProduct ? ['src/main.ts', 'src/prorata.js'] : []),
    ...(isProduct || STARTS_THREAD.test(text) ? workers.filter((each) => !isKernels(each)) : []),
    ...(READS_KERNELS.test(text) ? workers.filter(isKernels) : []),
    ...[...text.matchAll(URL_OF)].map(([, to = '']) => posix.join(posix.dirname(path), to)),
  ];
}

/** Whether a text names a file: by its own name, or by its folder. */
function names(text: string, path: string): boolean {
  const folder = posix.dirname(path);
  return (
    text.includes(posix.basename(path)) ||
    (folder !== '.' && (text.includes(`'${folder}'`) || text.includes(`${folder}/`)))
  );
}

/** What a module takes for the sake of one name that it exports. */
function needed(taken: readonly Taken[], name: string): readonly Taken[] {
  if (name === 'all') return taken;
  for (const each of taken) {
    if (!each.isPassedOn || each.names === 'all') continue;
    const there = each.names.get(name);
    if (there !== undefined) return [{ ...each, names: new Map([[name, there]]) }];
  }
  return taken.filter(({ isPassedOn, names }) => !isPassedOn || names === 'all');
}

function opens({ from, names }: Taken): boolean {
  const openers = OPENERS[from];
  if (openers === undefined) return false;
  if (openers === 'all' || names === 'all') return true;
  return [...names.values()].some((name) => openers.includes(name));
}

interface Read {
  readonly taken: readonly Taken[];
  readonly isFetching: boolean;
}

const known = new WeakMap<SourceFile, Read>();

function read(file: SourceFile): Read {
  const before = known.get(file);
  if (before !== undefined) return before;
  const code = file.text.replace(/\/\*[^]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const place = (specifier: string): string =>
    specifier.startsWith('.') ? posix.join(posix.dirname(file.path), specifier) : specifier;
  const whole = [...code.matchAll(BARE), ...code.matchAll(CALL)].map(
    ([, specifier = '']): Taken => ({ from: place(specifier), names: 'all', isPassedOn: false }),
  );
  const byName = [...code.matchAll(STATEMENT)].map(([, word, clause = '', specifier = '']): Taken => ({
    from: place(specifier),
    names: namesOf(clause),
    isPassedOn: word === 'export',
  })); // prettier-ignore
  const taken = [...byName, ...whole].filter(({ names }) => names === 'all' || names.size > 0);
  const found = { taken, isFetching: FETCH.test(code) };
  known.set(file, found);
  return found;
}

/** `{ a, b as c, type D }`; what is taken otherwise counts as all. */
function namesOf(clause: string): ReadonlyMap<string, string> | 'all' {
  const list = /^\{([^}]*)\}$/.exec(clause.trim())?.[1];
  if (list === undefined) return 'all';
  const names = list.split(',').map((each) => each.trim());
  return new Map(
    names
      .filter((each) => each !== '' && !each.startsWith('type '))
      .map((each) => each.split(' as '))
      .map(([there = '', here = there]) => [here, there]),
  );
}

/**
 * Tells unit tests from the rest by what they import. A test file is no unit test where a value that
 * it imports, itself or through the files that it imports, can open something outside the process: a
 * child process, a thread, a socket, a server. Stores of metrics are processes or servers.
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
  const seen = new Set<string>();
  const rest: { path: string; name: string; trail: string }[] = [
    { path: start, name: 'all', trail: start },
  ];
  for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
    const { path, name, trail } = at;
    if (seen.has(`${path} ${name}`)) continue;
    seen.add(`${path} ${name}`);
    const file = modules.get(path);
    if (file === undefined) continue;
    const { taken, isFetching } = read(file);
    if (isFetching) return `${trail} -> fetch`;
    for (const each of needed(taken, name)) {
      if (opens(each)) return `${trail} -> ${each.from}`;
      const next = `${trail} -> ${each.from}`;
      for (const wanted of each.names === 'all' ? ['all'] : each.names.values())
        rest.push({ path: each.from, name: wanted, trail: next });
    }
  }
  return undefined;
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

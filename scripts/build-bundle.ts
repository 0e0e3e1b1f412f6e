/**
 * Bundles the command and its workers into dist, where `src/prorata.js` looks for them, after the
 * kernels. Does nothing when the bundle of the sources as they are is there.
 *
 * A bundle is a folder laid out as the project is, named for the content of its sources:
 *
 *   dist/<hash>/src/bundle/main.js   the command
 *   dist/<hash>/src/bundle/*.js      modules, at the depth of src/<folder>/*.ts, so that a path that
 *                                    is relative to a module leads to the same place
 *   dist/<hash>/workers/*.js         what Piscina loads
 *   dist/<hash>/dist/page             the web page, as browsers get it; a copy is in dist/page, for a
 *                                    server that runs from the sources
 *   dist/<hash>/THIRD_PARTY_NOTICES  licences of the packages that it contains or loads
 *   dist/<hash>/…                    files that modules read
 *   dist/<hash>/compiled             V8's code of the modules, written by servers on Node 22.8 and later
 *
 * A process that runs keeps its bundle while the sources change, and modules that it loads later
 * are of the same build.
 */
import { build } from 'esbuild';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFolder } from '../src/bundle.js';
import { buildKernels } from './build-kernels.ts';
import { buildPage, PAGE_FOLDER } from './build-page.ts';
import { bundledPackages } from './bundled.ts';
import { commandLine } from './commands.ts';
import { NOTICES_FILE, noticesOf, noticesText } from './notices.ts';
import { lockedPackages, type LockedFile } from './packages.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What modules read, by `import.meta.url`. */
const FILES = ['package.json', 'workers/kernels/kernels.wasm', 'src/pricing/list'];

/**
 * Entries of threads, and the module that each stands for: Piscina's, whose default export is a task. It is
 * awaited, since Piscina tries `require` first: where a process exits while that links modules, Node aborts.
 */
const WORKERS = {
  'entry.js': 'compute',
  'bills-entry.js': 'bills',
  'receiver-entry.js': 'receiver',
  'blocks-entry.js': 'blocks',
  'parquet-entry.js': 'parquet',
};

/**
 * They look for files or threads of their own, or are native: `dependencies` of package.json, which the
 * bundle loads when it runs. What it contains is a devDependency, and so are compilers.
 */
const OUTSIDE = ['highs', 'node-sqlite3-wasm', 'piscina'];

/** Written by each install. */
const INSTALLED = join(ROOT, 'node_modules/.package-lock.json');

/**
 * Compiling takes a third of a start, which Node 20 has to take. Each thread turns the cache on for itself. It is
 * also written while a server runs, as one that is killed writes nothing.
 */
const compileCache = (up: number): string =>
  `import module from 'node:module';\n` +
  `import { fileURLToPath } from 'node:url';\n` +
  `const compiled = new URL('${'../'.repeat(up)}compiled', import.meta.url);\n` +
  // Files of the cache name modules relative to it, so that a tree can be moved.
  `process.env.NODE_COMPILE_CACHE_PORTABLE ??= '1';\n` +
  `module.enableCompileCache?.(fileURLToPath(compiled));\n` +
  `setTimeout(() => module.flushCompileCache?.(), 2000).unref();\n`;

/** Older bundles are removed: a server may still run one, and load more of it. */
const KEPT = 8;

/** CommonJS packages load Node's own modules by it. */
const REQUIRE =
  `import { createRequire as requireFrom } from 'node:module';` +
  `const require = requireFrom(import.meta.url);`;

/** Packages are installed anew without a change of their list, as where one was edited by hand. */
function isFresh(folder: string): boolean {
  const built = statSync(folder, { throwIfNoEntry: false });
  const packages = statSync(INSTALLED, { throwIfNoEntry: false });
  return built !== undefined && (packages === undefined || packages.mtimeMs <= built.mtimeMs);
}

/** The folder appears whole or not at all. */
async function buildBundle(folder: string): Promise<void> {
  const unfinished = `${folder}.${process.pid}`;
  try {
    await bundleModules(join(unfinished, 'src/bundle'));
    await buildPage(join(unfinished, PAGE_FOLDER));
    for (const path of FILES) cpSync(join(ROOT, path), join(unfinished, path), { recursive: true });
    const main = `${compileCache(2)}await import('./command.js');\n`;
    writeFileSync(join(unfinished, 'src/bundle/main.js'), main);
    for (const [entry, name] of Object.entries(WORKERS)) {
      const cached = compileCache(1);
      const text = `const { default: run } = await import('../src/bundle/${name}.js');\n`;
      writeFileSync(join(unfinished, 'workers', entry), `${cached}${text}export default run;\n`);
    }
    writeNotices(unfinished);
    // A server may run the one before, whose modules are named for their content: they stay.
    if (existsSync(folder)) cpSync(unfinished, folder, { recursive: true });
    else renameSync(unfinished, folder);
    utimesSync(folder, new Date(), new Date());
  } catch (error) {
    // Another process may have built the same.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function bundleModules(outdir: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [
      { in: 'src/main.ts', out: 'command' },
      ...Object.values(WORKERS).map((name) => ({ in: `workers/${name}.ts`, out: name })),
    ],
    entryNames: '[name]',
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    inject: ['src/source-lines.ts'],
    external: OUTSIDE,
    banner: { js: REQUIRE },
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
  });
}

function writeNotices(bundle: string): void {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as LockedFile;
  const packages = lockedPackages(lock, bundledPackages(bundle));
  writeFileSync(join(bundle, NOTICES_FILE), noticesText(noticesOf(packages)));
}

/** The page of the sources as they are, each file whole at any time. */
function copyPage(bundle: string): void {
  const [from, to] = [join(bundle, PAGE_FOLDER), join(ROOT, PAGE_FOLDER)];
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const unfinished = join(to, `${name}.${process.pid}`);
    cpSync(join(from, name), unfinished);
    renameSync(unfinished, join(to, name));
  }
}

function removeOld(folder: string): void {
  const isBundle = (name: string): boolean => join(folder, name) !== join(ROOT, PAGE_FOLDER);
  const bundles = readdirSync(folder)
    .filter(isBundle)
    .map((name) => join(folder, name));
  const byAge = bundles
    .map((path) => ({ path, ms: statSync(path).mtimeMs }))
    .toSorted((a, b) => b.ms - a.ms);
  for (const { path } of byAge.slice(KEPT)) rmSync(path, { recursive: true });
}

commandLine('build-bundle');
await buildKernels();
const folder = bundleFolder();
if (!isFresh(folder)) {
  await buildBundle(folder);
  removeOld(join(ROOT, 'dist'));
}
copyPage(folder);

/**
 * Bundles test files, so that each starts at once: with a loader for TypeScript a file takes half a
 * second of a core before its first test, without it a tenth.
 *
 * The bundle lies in a folder of its own, and modules know themselves by their sources: what a test
 * finds by `import.meta.url` is what it finds when it runs alone.
 *
 * What a process would need flags for is part of the bundle, since threads take over the flags of
 * their process: with `--enable-source-maps` each reads all maps of what it loads, used or not.
 */
import { build, type Loader, type Plugin } from 'esbuild';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleFolder } from '../src/bundle.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Within the project, where packages are found. */
const HOME = join(ROOT, '.tests');
/** Stack traces name lines of the sources. */
const SOURCE_LINES = join(ROOT, 'src/source-lines.ts');
const CPU_LINE = join(ROOT, 'scripts/cpu-line.js');
/** Stands for fast-check. */
const PROPERTIES = join(ROOT, 'scripts/property-seed.js');
/** Where a pool of workers is told its entry. */
const ENTRY = /new URL\('\.\.\/\.\.\/workers\/([a-z-]+\.js)', import\.meta\.url\)/g;
/** Tests that several files run over what is theirs. */
const SUITE = /-suite\.ts$/;

export interface BundledTests {
  /** The files to run, one for each group, in their order. */
  readonly files: readonly string[];
  /** Sources by the file, or the part of a file, that was made of them. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
  readonly remove: () => void;
}

/** @param groups absolute paths of test files of the project that share a process */
export async function bundleTests(groups: readonly (readonly string[])[]): Promise<BundledTests> {
  mkdirSync(HOME, { recursive: true });
  const folder = mkdtempSync(join(HOME, 'run-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await build({
      absWorkingDir: ROOT,
      // A file may be in several groups.
      entryPoints: [...new Set(groups.flat())],
      outbase: ROOT,
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      inject: [SOURCE_LINES, CPU_LINE],
      plugins: [asRunAlone(new Set(groups.filter(({ length }) => length > 1).flat()))],
      sourcemap: true,
      sourcesContent: false,
      logLevel: 'warning',
    });
  } catch (error) {
    remove();
    throw error;
  }
  const built = (path: string): string =>
    join(folder, relative(ROOT, path)).replace(/\.ts$/, '.js');
  const sources = new Map(groups.flat().map((path) => [built(path), [path]]));
  const files = groups.map((group, index) => {
    const parts = group.map(built);
    const [first = '', ...others] = parts;
    if (others.length === 0) return first;
    const path = join(folder, `group-${index}.js`);
    writeFileSync(path, groupSource(parts));
    sources.set(path, [...group]);
    return path;
  });
  return { files, sources, remove };
}

/** Runs test files one after the other; one that cannot be loaded keeps no other from running. */
export function groupSource(paths: readonly string[]): string {
  return `for (const path of ${JSON.stringify(paths)}) {
  try {
    await import(path);
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
}
`;
}

/** Statements at the top of a file, which a suite cannot have in its body, and comments between them. */
const IMPORTS = /^(?:\s|\/\*[\s\S]*?\*\/|\/\/.*|import\b[^;]*;)*/;

/**
 * The tests of a file as a suite, so that hooks of the file's top level run around these alone. Lines stay
 * where they are.
 */
export function asSuite(name: string, text: string): string {
  const [imports = ''] = IMPORTS.exec(text) ?? [];
  const body = text.slice(imports.length);
  return `import { describe as suiteOfFile } from 'node:test'; ${imports}suiteOfFile(${JSON.stringify(name)}, async () => { ${body}\n});\n`;
}

/** @param shared absolute paths of test files that share a process with others */
const asRunAlone = (shared: ReadonlySet<string>): Plugin => ({
  name: 'as-run-alone',
  setup(building) {
    // Looking for it takes 26 ms of each process.
    const known = `export const bundleFolder = () => ${JSON.stringify(bundleFolder())};`;
    building.onLoad({ filter: /[\\/]src[\\/]bundle\.js$/, namespace: 'file' }, () => ({
      contents: known,
    }));
    // The entries among the sources would look for the same bundle, each thread anew by reading all sources.
    const entries = pathToFileURL(join(bundleFolder(), 'workers/')).href;
    // Tests are of the file that their call is in: each test file has its own copy of a suite that several run.
    building.onResolve({ filter: SUITE }, ({ path, resolveDir, importer }) => ({
      path: join(resolveDir, path),
      suffix: `?of=${encodeURIComponent(relative(ROOT, importer))}`,
    }));
    building.onResolve({ filter: /^fast-check$/ }, ({ importer }) =>
      importer === PROPERTIES ? { path: 'fast-check', external: true } : { path: PROPERTIES },
    );
    building.onLoad({ filter: /\.[jt]s$/, namespace: 'file' }, ({ path }) => {
      const own = JSON.stringify(pathToFileURL(path).href);
      const contents = readFileSync(path, 'utf8')
        .replaceAll(ENTRY, `new URL('${entries}$1')`)
        .replaceAll('import.meta.url', own);
      const isShared = shared.has(path);
      return {
        contents: isShared ? asSuite(relative(ROOT, path), contents) : contents,
        loader: extname(path).slice(1) as Loader,
      };
    });
  },
});

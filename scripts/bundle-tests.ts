/**
 * Bundles test files, so that each starts at once: with a loader for TypeScript a file takes half a
 * second of a core before its first test, without it a tenth.
 *
 * The bundle lies in a folder of its own, and modules know themselves by their sources: what a test
 * finds by `import.meta.url` is what it finds when it runs alone.
 */
import { build, type Loader, type Plugin } from 'esbuild';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Within the project, where packages are found. */
const HOME = join(ROOT, '.tests');

export interface BundledTests {
  /** In the order of the sources. */
  readonly files: readonly string[];
  readonly remove: () => void;
}

/** @param sources absolute paths of test files of the project */
export async function bundleTests(sources: readonly string[]): Promise<BundledTests> {
  mkdirSync(HOME, { recursive: true });
  const folder = mkdtempSync(join(HOME, 'run-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await build({
      absWorkingDir: ROOT,
      entryPoints: [...sources],
      outbase: ROOT,
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      plugins: [OWN_URLS],
      sourcemap: true,
      sourcesContent: false,
      logLevel: 'warning',
    });
  } catch (error) {
    remove();
    throw error;
  }
  const files = sources.map((path) => join(folder, relative(ROOT, path)).replace(/\.ts$/, '.js'));
  return { files, remove };
}

const OWN_URLS: Plugin = {
  name: 'own-urls',
  setup(building) {
    building.onLoad({ filter: /\.[jt]s$/, namespace: 'file' }, ({ path }) => {
      const own = JSON.stringify(pathToFileURL(path).href);
      const contents = readFileSync(path, 'utf8').replaceAll('import.meta.url', own);
      return { contents, loader: extname(path).slice(1) as Loader };
    });
  },
};

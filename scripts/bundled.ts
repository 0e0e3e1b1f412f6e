/** Folders of the packages that a bundle contains, by its source maps. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFolder } from '../src/bundle.js';
import { PAGE_FOLDER } from './build-page.ts';
import { packagesOf } from './packages.ts';

/** The kernels contain functions of its standard library, such as `exp` and `bswap`. */
const IN_KERNELS = 'node_modules/assemblyscript';

/** @throws if the bundle is not built */
export function bundledPackages(bundle: string = bundleFolder()): ReadonlySet<string> {
  const folders = ['src/bundle', PAGE_FOLDER].map((each) => join(bundle, each));
  const maps = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.js.map'))
      .map((name) => join(folder, name)),
  );
  const sources = maps.flatMap((path) => {
    const map = JSON.parse(readFileSync(path, 'utf8')) as { sources: string[] };
    return map.sources;
  });
  return new Set([...packagesOf(sources), IN_KERNELS]);
}

/** What the bundle of the sources as they are has of packages, by its source maps. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFolder } from '../src/bundle.js';
import { PAGE_FOLDER } from './build-page.ts';
import { packagesOf } from './packages.ts';

/** @throws where nothing is built */
export function bundledPackages(): ReadonlySet<string> {
  const folders = ['src/bundle', PAGE_FOLDER].map((each) => join(bundleFolder(), each));
  const maps = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.js.map'))
      .map((name) => join(folder, name)),
  );
  const sources = maps.flatMap((path) => {
    const map = JSON.parse(readFileSync(path, 'utf8')) as { sources: string[] };
    return map.sources;
  });
  return new Set(packagesOf(sources));
}

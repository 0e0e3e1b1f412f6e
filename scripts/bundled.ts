/** What the bundle of the sources as they are has of packages, by its source maps. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFolder } from '../src/bundle.js';
import { packagesOf } from './packages.ts';

/** @throws where nothing is built */
export function bundledPackages(): ReadonlySet<string> {
  const folder = join(bundleFolder(), 'src/bundle');
  const maps = readdirSync(folder).filter((name) => name.endsWith('.js.map'));
  const sources = maps.flatMap((name) => {
    const map = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { sources: string[] };
    return map.sources;
  });
  return new Set(packagesOf(sources));
}

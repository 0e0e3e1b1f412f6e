/**
 * What is installed and what the bundle contains, from the lock file and the bundle: CycloneDX JSON.
 *
 *   npm run -s sbom > sbom.json
 *   npm run -s sbom -- --licences      a line for each package that runs: name, version, licence, use
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { bundledPackages } from './bundled.ts';
import { lockedPackages, sbomOf, type LockedFile } from './packages.ts';

const { values } = parseArgs({ options: { licences: { type: 'boolean', default: false } } });
const LOCK = new URL('../package-lock.json', import.meta.url);
const file = JSON.parse(readFileSync(LOCK, 'utf8')) as LockedFile;
const packages = lockedPackages(file, bundledPackages());
if (values.licences) {
  for (const { name, version, licence, use } of packages)
    if (use !== 'development') process.stdout.write(`${name} ${version} ${licence} ${use}\n`);
} else process.stdout.write(`${JSON.stringify(sbomOf(file, packages), undefined, 2)}\n`);

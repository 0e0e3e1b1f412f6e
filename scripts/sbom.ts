/** `npm run -s sbom`: what is installed and what the bundle contains, from the lock file and the bundle. */
import { readFileSync } from 'node:fs';
import { bundledPackages } from './bundled.ts';
import { commandLine } from './commands.ts';
import { lockedPackages, sbomOf, type LockedFile } from './packages.ts';

const { values } = commandLine('sbom');
const LOCK = new URL('../package-lock.json', import.meta.url);
const file = JSON.parse(readFileSync(LOCK, 'utf8')) as LockedFile;
const packages = lockedPackages(file, bundledPackages());
if (values.licences) {
  for (const { name, version, licence, use } of packages)
    if (use !== 'development') process.stdout.write(`${name} ${version} ${licence} ${use}\n`);
} else process.stdout.write(`${JSON.stringify(sbomOf(file, packages), undefined, 2)}\n`);

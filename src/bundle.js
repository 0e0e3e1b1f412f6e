// Where the bundle of these sources is. Plain JavaScript, as the command asks before any loader is
// registered.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Beside `src` and `workers`, what decides on the bundle's content: the last are the packages. Which of
 * them are installed now does not count, so that the bundle is found when compilers are removed.
 */
const OTHERS = [
  'package.json',
  'scripts/build-bundle.ts',
  'scripts/notices.ts',
  'package-lock.json',
];

/** Made when the kernels are built, of what is told apart already. */
const GENERATED = [
  'workers/kernels/text/powers-of-ten.ts',
  'workers/kernels/text/decimal-tables.ts',
];

// Contents, not times: a copy, a checkout or a clock set back never runs another tree's code, and
// reading 1,000 files takes 30 ms.
export function bundleFolder() {
  const hash = createHash('sha256');
  for (const path of [...sources('src'), ...sources('workers'), ...OTHERS.filter(isThere)]) {
    const content = readFileSync(join(ROOT, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return join(ROOT, 'dist', hash.digest('hex').slice(0, 16));
}

/** @param {string} folder */
function sources(folder) {
  return files(folder)
    .filter((path) => /\.(tsx?|js|csv|css|html|svg)$/.test(path) && !GENERATED.includes(path))
    .toSorted();
}

/**
 * Node's own recursive reading takes 30 ms longer.
 * @param {string} folder @returns {string[]}
 */
function files(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? files(path) : path;
  });
}

/** @param {string} path */
function isThere(path) {
  return statSync(join(ROOT, path), { throwIfNoEntry: false }) !== undefined;
}

// Run by `npm ci`: builds the kernels and the bundle. Plain JavaScript, as it also runs where compilers
// are left out (`npm ci --omit=dev`): then what was built elsewhere is used, or is told to be missing.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleFolder } from '../src/bundle.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMPILERS = ['tsx', 'esbuild', 'assemblyscript'];

if (COMPILERS.every((name) => existsSync(`${ROOT}/node_modules/${name}`))) {
  const args = ['--import', 'tsx', 'scripts/build-bundle.ts'];
  process.exitCode = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
} else if (!existsSync(bundleFolder())) {
  process.stderr.write('nothing is built: run npm ci, and then npm prune --omit=dev\n');
}

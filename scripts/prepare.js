// Run by `npm ci`: builds the kernels and the bundle, and removes native builds for other platforms. Plain
// JavaScript, as it also runs if compilers are left out (`npm ci --omit=dev`): then what was built elsewhere
// is used, or is reported as missing.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleFolder } from '../src/bundle.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** A package with the builds of the native HTTP engine for all platforms: 133 MB. */
const BUILDS = `${ROOT}/node_modules/uWebSockets.js/dist/bin`;
const COMPILERS = ['tsx', 'esbuild', 'assemblyscript'];

// Those of this platform stay, for all versions of Node. npm does not look into packages that are installed.
if (existsSync(BUILDS)) {
  const own = `uws_${process.platform}_${process.arch}_`;
  for (const name of readdirSync(BUILDS).filter((each) => !each.startsWith(own))) {
    rmSync(`${BUILDS}/${name}`, { force: true });
  }
}
if (COMPILERS.every((name) => existsSync(`${ROOT}/node_modules/${name}`))) {
  const args = ['--import', 'tsx', 'scripts/build-bundle.ts'];
  process.exitCode = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
} else if (!existsSync(bundleFolder())) {
  process.stderr.write('nothing is built: run npm ci, and then npm prune --omit=dev\n');
}

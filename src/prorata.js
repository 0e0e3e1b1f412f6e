#!/usr/bin/env node
// The command: runs the bundle of the sources as they are, built first if they have changed. Plain
// JavaScript, as Node 20 reads no TypeScript before a loader is registered.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleFolder } from './bundle.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const folder = bundleFolder();
if (!existsSync(folder) && isWritable() && canBuild()) build();
if (existsSync(folder)) {
  await import(pathToFileURL(join(folder, 'src/bundle/main.js')).href);
} else {
  // The sources run as well, but start slowly.
  const { register } = await import('tsx/esm/api').catch(() => {
    process.stderr.write('nothing is built: run npm ci, and then npm prune --omit=dev\n');
    process.exit(1);
  });
  // Without this the loader would obey the tsconfig.json of whatever folder one stands in.
  register({ tsconfig: join(ROOT, 'tsconfig.json') });
  await import('./main.ts');
}

function build() {
  const args = ['--import', import.meta.resolve('tsx'), join(ROOT, 'scripts/build-bundle.ts')];
  // Standard output is the answer's.
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

/** Compilers are left out where only what runs is installed. */
function canBuild() {
  return ['tsx', 'esbuild', 'assemblyscript'].every((name) =>
    existsSync(join(ROOT, 'node_modules', name)),
  );
}

function isWritable() {
  try {
    accessSync(ROOT, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

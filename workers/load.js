// Loads what threads run, for their entries among the sources. A thread has no loader for TypeScript on
// Node 20, and registering one is slow; so it takes the bundle of the same sources, if that is built.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleFolder } from '../src/bundle.js';

const SOURCES = {
  compute: () => import('./compute.ts'),
  bills: () => import('./bills.ts'),
  receiver: () => import('./receiver.ts'),
  blocks: () => import('./blocks.ts'),
  parquet: () => import('./parquet.ts'),
};

/** @param {'compute' | 'bills' | 'receiver' | 'blocks' | 'parquet'} name */
export async function load(name) {
  const folder = bundleFolder();
  if (existsSync(folder)) {
    return import(pathToFileURL(join(folder, `src/bundle/${name}.js`)).href);
  }
  const { register } = await import('tsx/esm/api');
  register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
  return SOURCES[name]();
}

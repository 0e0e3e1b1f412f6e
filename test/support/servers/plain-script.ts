/** A script of tests as one file of plain JavaScript, for who starts it often: tsx takes 0.4 s. */
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/** @returns the file's path, in the folder */
export async function plainScript(script: string, folder: string): Promise<string> {
  const outfile = join(folder, `${basename(script, '.ts')}.mjs`);
  const format = { bundle: true, format: 'esm', platform: 'node', target: 'node20' } as const;
  await build({ ...format, entryPoints: [script], outfile, logLevel: 'warning' });
  return outfile;
}

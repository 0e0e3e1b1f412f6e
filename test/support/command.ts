/** The command as tests start it: what src/prorata.js runs, without the 60 ms in which it finds it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFolder } from '../../src/bundle.js';

/** A file for Node. */
export const COMMAND: string = command();

function command(): string {
  const bundled = join(bundleFolder(), 'src/bundle/main.js');
  return existsSync(bundled)
    ? bundled
    : fileURLToPath(new URL('../../src/prorata.js', import.meta.url));
}

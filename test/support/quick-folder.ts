/** A folder of a test whose disk is memory where there is such a one: for what syncs often, and is not cut off from power. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { quickPlace } from '../../scripts/temporary-folder.ts';

/** It is removed when the tests of the file have run. */
export function quickFolder(name: string): string {
  const folder = mkdtempSync(join(quickPlace(), `prorata-${name}-`));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

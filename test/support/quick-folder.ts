/** A folder of a test whose disk is memory where there is such a one: for what syncs often, and is not cut off from power. */
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

const MEMORY = '/dev/shm';

/** It is removed when the tests of the file have run. */
export function quickFolder(name: string): string {
  const folder = mkdtempSync(join(isWritable() ? MEMORY : tmpdir(), `prorata-${name}-`));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function isWritable(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

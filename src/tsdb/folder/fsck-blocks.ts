/**
 * Reads all blocks of a folder to the last bit and tells all that is wrong. Beside checksums, which each
 * read looks at, it compares the parts with each other: samples with the index, lists with series.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../../storage/disk-error.ts';
import { BlockCheck, type BlockFinding } from './block-check.ts';
import { DELETING } from './block-folder.ts';
import { isUlid } from '../format/ulid.ts';
import { CREATING } from './write-block.ts';

export interface BlocksChecked {
  readonly blocks: number;
  readonly series: number;
  readonly samples: number;
  /** None: everything is as it was written. */
  readonly findings: readonly BlockFinding[];
}

/** A missing folder has no blocks. @throws {Unavailable} when the folder cannot be read */
export async function fsckBlocks(folder: string): Promise<BlocksChecked> {
  const names = await unlessMissing(`read ${folder}`, [], () => readdir(folder));
  const findings: BlockFinding[] = [];
  let [blocks, series, samples] = [0, 0, 0];
  for (const name of [...names].sort()) {
    const path = join(folder, name);
    if (name.endsWith(CREATING) || name.endsWith(DELETING))
      findings.push({ path, message: 'a crash left it unfinished; the next start removes it' });
    if (!isUlid(name)) continue;
    const check = new BlockCheck(path);
    await check.run();
    // A server that has the folder merges and drops blocks meanwhile.
    if (check.findings.length > 0 && !existsSync(path)) continue;
    blocks++;
    findings.push(...check.findings);
    series += check.series;
    samples += check.samples;
  }
  return { blocks, series, samples, findings };
}

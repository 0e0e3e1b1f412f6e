/** Checks a receiver's folder: blocks to the last bit, rows of logs by their checksums. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Unavailable } from '../query/index.ts';
import { lockFolder } from '../storage/index.ts';
import { fsckBlocks, type BlockFinding, type BlocksChecked } from '../tsdb/index.ts';
import { checkLog, findLogs } from './ingest/window-log.ts';

export interface ReceiverChecked extends BlocksChecked {
  /** Rows of logs: commits that no block holds yet; undefined where a receiver has the folder, whose logs change. */
  readonly logRows: number | undefined;
}

/** A missing folder has nothing in it. @throws {Unavailable} when the folder cannot be read */
export async function fsckReceiver(folder: string): Promise<ReceiverChecked> {
  const checked = await fsckBlocks(join(folder, 'blocks'));
  const logs = join(folder, 'logs');
  if (!existsSync(logs)) return { ...checked, logRows: 0 };
  const lock = await lockFolder(folder).catch((error: unknown) => {
    if (error instanceof Unavailable) return undefined;
    throw error;
  });
  if (lock === undefined) return { ...checked, logRows: undefined };
  try {
    const findings: BlockFinding[] = [...checked.findings];
    let logRows = 0;
    for (const { path } of findLogs(logs)) {
      const { rows, damage } = checkLog(path);
      logRows += rows;
      if (damage !== undefined) findings.push({ path, message: damage });
    }
    return { ...checked, findings, logRows };
  } finally {
    await lock.release();
  }
}

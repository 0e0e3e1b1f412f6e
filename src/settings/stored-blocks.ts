/** What of the memory limit the thread that reads blocks takes, before the rest is divided. */
import { readBlocksUrl } from '../blocks/index.ts';
import { Fault } from '../query/index.ts';
import { blocksMemory, leastLimitBytes } from './memory-budget.ts';

const MIB = 2 ** 20;

/** @returns 0 where no blocks are read @throws {Fault} when the limit does not hold them beside one worker */
export function blocksBytes(metricsUrl: string | undefined, limitBytes: number): number {
  if (metricsUrl === undefined || readBlocksUrl(metricsUrl) === undefined) return 0;
  const { bytes } = blocksMemory(limitBytes);
  if (limitBytes - bytes >= leastLimitBytes(1)) return bytes;
  const neededMib = Math.ceil((bytes + leastLimitBytes(1)) / MIB);
  throw new Fault(
    `reading blocks does not fit --memory-limit ${Math.floor(limitBytes / MIB)}Mi beside one worker`,
    {
      parameter: '--memory-limit',
      hint: `set --memory-limit to ${neededMib}Mi (MEMORY_LIMIT)`,
    },
  );
}

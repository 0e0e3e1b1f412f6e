/** Appends numbers to a bounded log for ever, and tells each that is kept. Run as a process of its own. */
import { BoundedLog } from '../../../src/storage/index.ts';

const [path = '', limit = ''] = process.argv.slice(2);
const log = await BoundedLog.open(path, Number(limit));
const [last] = log.newest.slice(-1) as { n: number }[];
for (let n = (last?.n ?? 0) + 1; ; n++) {
  await log.append({ n });
  process.stdout.write(`${n}\n`);
}

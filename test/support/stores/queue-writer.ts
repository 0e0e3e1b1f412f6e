/** Appends numbered batches to a queue and removes some, telling each step, until it is killed. */
import { openQueue } from '../../../src/agent/sending/batch-queue.ts';

const [folder = '', first = '1'] = process.argv.slice(2);
const log = {
  info: () => undefined,
  warn: (_: object, message: string) => tell(`warn ${message}`),
};
const queue = await openQueue({ folder, limitBytes: 2 ** 30, log }, new AbortController().signal);

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

for (let i = Number(first); ; i++) {
  tell(`storing ${i}`);
  await queue.append(Buffer.alloc(1 + ((i * 7919) % 20_000), String(i)), i);
  tell(`stored ${i}`);
  const batch = i % 3 === 0 ? undefined : await queue.first();
  if (batch === undefined) continue;
  tell(`removing ${batch.samples}`);
  await queue.remove(batch);
  tell(`removed ${batch.samples}`);
}

/**
 * A process that writes to a receiver's folder until it is killed, as receiver-kills.ts starts it:
 *
 *   node receiver-writer.mjs FOLDER FIRST
 *
 * Says the number of each request once it was acknowledged. Between requests time passes, so that windows are
 * cut and blocks merged.
 */
import { writeSync } from 'node:fs';
import { ReceiverStore } from '../../../src/receiver/ingest/receiver-store.ts';
import { nowOf, requestOf, WRITER_OPTIONS } from './killed-requests.ts';

async function run(folder: string, first: number): Promise<void> {
  const store = await ReceiverStore.open({ ...WRITER_OPTIONS, folder }, nowOf(first));
  for (let number = first; ; number++) {
    const nowMs = nowOf(number);
    const [outcome] = store.write([{ body: requestOf(number), version: '1.0' }], nowMs);
    if (outcome?.kind !== 'stored') throw new Error(JSON.stringify(outcome));
    writeSync(1, `${number}\n`);
    await store.maintain(nowMs);
  }
}

const [folder = '', first = ''] = process.argv.slice(2);
void run(folder, Number(first));

/**
 * Records anew what the requests of test/support/recorded-requests.ts are answered with, into
 * test/fixtures/answers/, which test/commands/recorded-answers.test.ts holds the server against.
 */
import { mkdirSync } from 'node:fs';
import { startRecordedServers, type RecordedAnswer } from '../test/support/recorded-answers.ts';
import { FOLDER, writeRecorded } from '../test/support/recorded-files.ts';
import { keyOf } from '../test/support/recorded-request.ts';
import { RECORDED_GROUPS } from '../test/support/recorded-requests.ts';
import { commandLine } from './commands.ts';

async function record(folder: string, workers: number, frontEnd: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const servers = await startRecordedServers({ workers, frontEnd });
  try {
    for (const [group, requests] of RECORDED_GROUPS) {
      const beganMs = performance.now();
      const answers = new Map<string, RecordedAnswer>();
      for (const request of requests) {
        const key = keyOf(request);
        if (answers.has(key)) throw new Error(`two requests are called ${key}`);
        answers.set(key, await servers.ask(request));
      }
      const bytes = writeRecorded(folder, group, Object.fromEntries(answers));
      const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
      const size = `${Math.ceil(bytes / 1024)} KiB`;
      process.stdout.write(`${group}: ${requests.length} answers in ${seconds} s, ${size}\n`);
    }
  } finally {
    await servers.stop();
  }
  for (const error of servers.errors()) process.stdout.write(`logged: ${JSON.stringify(error)}\n`);
}

const { values } = commandLine('record-answers');
await record(values.folder ?? FOLDER, values.workers, values['front-end']);

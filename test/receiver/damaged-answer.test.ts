/** Damage of a received block on its whole way: from the file, by the kernel that meets it, to the answer that needed it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ReceiverStore } from '../../src/receiver/ingest/receiver-store.ts';
import { podSeries } from '../support/fleets/pod-store.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { startOwnServer } from '../support/servers/own-server.ts';
import { writeRequest } from '../support/stores/written-samples.ts';

const MINUTE_MS = 60_000;
const FROM_MS = Date.UTC(2024, 4, 1, 10);
const TIMES = Array.from({ length: 61 }, (_, i) => FROM_MS + i * MINUTE_MS);
const NOW_MS = FROM_MS + 12 * 60 * MINUTE_MS;
const QUERY = `window=${FROM_MS / 1000},${FROM_MS / 1000 + 3600}&resolution=exact`;
const dataDir = quickFolder('damaged-answer');

/** One block of samples. @returns its file of chunks */
async function filled(): Promise<string> {
  const folder = join(dataDir, 'receiver');
  const limits = { maxSeries: 99, maxSamplesPerSecond: 1e9 };
  const options = { folder, outOfOrderMs: 7.2e6, retentionMs: 864e5, ...limits };
  const store = await ReceiverStore.open(options, FROM_MS);
  const body = writeRequest(podSeries('a-1', TIMES));
  const [outcome] = store.write([{ body, version: '1.0' }], TIMES.at(-1) ?? 0);
  assert.equal(outcome?.kind, 'stored');
  await store.maintain(NOW_MS);
  store.close();
  const [ulid = '', ...others] = readdirSync(join(folder, 'blocks'));
  assert.deepEqual(others, []);
  return join(folder, 'blocks', ulid, 'chunks', '000001');
}

test('an answer that needs a damaged block is an error that names the file and the place in it', async () => {
  const chunks = await filled();
  const now = `--now=${new Date(NOW_MS).toISOString()}`;
  const flags = ['--receive=true', `--data-dir=${dataDir}`, now, '--workers=1'];
  const server = await startOwnServer(flags);
  try {
    const whole = await server.compute(`${QUERY}&aggregate=pod`);
    assert.equal(whole.status, 200, whole.text);
    assert.match(whole.text, /a-1/);
    const bytes = readFileSync(chunks);
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    writeFileSync(chunks, bytes);
    const { status, text } = await server.compute(`${QUERY}&aggregate=namespace`);
    assert.equal(status, 503, text);
    const { message } = JSON.parse(text) as { message: string };
    const named = `${chunks} is damaged at byte 8: a chunk has a wrong checksum`;
    assert.ok(message.startsWith(named), message);
  } finally {
    await server.stop();
  }
});

/** Standard error of the server as users run it, also without a reader. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, describe, test } from 'node:test';
import { parsed, startServerProcess } from '../support/servers/server-process.ts';

const SECRET = 'hunter2hunter2';
/** Missing bills: each is logged once a second, with a URL of many bytes. */
const BILLS = 300;
const FLAGS = ['--refresh=0', '--workers=1', '--bill-refresh=1s'];
/** Enough to fill a pipe and the log's own buffer. */
const UNREAD_MS = 8000;
const ANSWERED_WITHIN_MS = 2000;
const STOPPED_WITHIN_MS = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'prorata-stderr-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @returns a file of settings: one line of YAML would be too long for a command line */
function settings(): string {
  const path = join(folder, 'settings.yaml');
  const urls = Array.from({ length: BILLS }, (_, i) => {
    const name = `${'bill'.repeat(800)}${i}`;
    return `cloud/s${i}=http://user:${SECRET}@127.0.0.1:1/${name}.csv?X-Amz-Signature=${SECRET}`;
  });
  writeFileSync(path, `billUrl: "${urls.join(' ')}"\n`);
  return path;
}

describe('standard error', { concurrency: 2 }, () => {
  for (const frontEnd of ['uws', 'node']) {
    test(`without a reader stops neither answers of ${frontEnd} nor its end`, async () => {
      const config = `--config=${settings()}`;
      const server = await startServerProcess([...FLAGS, config, `--front-end=${frontEnd}`]);
      server.deafen();
      for (const end = Date.now() + UNREAD_MS; Date.now() < end; await sleep(250)) {
        const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
        const reply = await fetch(`${server.url}/readyz?verbose`, { signal });
        assert.equal(reply.status, 200);
      }
      const began = performance.now();
      assert.equal(await server.stop(), 0);
      const tookMs = performance.now() - began;
      assert.ok(tookMs < STOPPED_WITHIN_MS, `${tookMs} ms to stop`);
    });
  }

  test('has lines of JSON, no secrets, and a count of dropped lines', async () => {
    const server = await startServerProcess([...FLAGS, `--config=${settings()}`]);
    server.deafen();
    await sleep(UNREAD_MS);
    server.hear();
    const isLogged = (): boolean =>
      server.lines.some((line) => line.includes('lines were dropped'));
    for (const end = Date.now() + 20_000; !isLogged() && Date.now() < end;) await sleep(50);
    assert.equal(await server.stop(), 0);
    for (const line of server.lines) assert.equal(parsed(line).length, 1, line.slice(0, 200));
    const logged = server.lines.flatMap(parsed);
    const dropped = logged.find(({ msg }) => msg === 'lines were dropped while nobody read them');
    assert.ok(Number(dropped?.['lines']) > 0, JSON.stringify(dropped));
    assert.ok(server.errors.some(({ msg }) => msg === 'cannot keep a bill'));
    assert.ok(logged.some(({ msg }) => msg === 'stopping'));
    assert.ok(!server.lines.join('\n').includes(SECRET));
  });
});

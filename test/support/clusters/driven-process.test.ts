/** A program whose time is moved: its timers and calls happen at their times, at once. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DrivenProcess } from './driven-process.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-driven-'));
const START_MS = Date.UTC(2026, 4, 1);
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  if (request.url !== '/silent') response.end('x'.repeat(100_000));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
after(() => {
  server.close();
  server.closeAllConnections();
  rmSync(home, { recursive: true, force: true });
});

test('timers, dates and calls of a program follow the time that is set', async () => {
  const program = join(home, 'program.mjs');
  writeFileSync(
    program,
    `import { get } from 'node:http';
    import { setTimeout as sleep } from 'node:timers/promises';
    const call = (path) => new Promise((resolve, reject) => get('http://127.0.0.1:${port}' + path, (answer) => answer.resume().on('end', resolve)).on('error', reject));
    setInterval(async () => { await call('/a?' + Date.now()); await call('/b?' + (new Date()).getTime()); }, 60_000);
    await sleep(90_000);
    await call('/slept?' + (performance.now()));
    `,
  );
  const child = new DrivenProcess([program], START_MS);
  try {
    while (child.nextMs === Infinity) await child.go(START_MS);
    assert.equal(child.nextMs, START_MS + 60_000);
    for (let atMs = START_MS; atMs < START_MS + 180_000;) {
      atMs = Math.min(START_MS + 180_000, child.nextMs);
      await child.go(atMs);
    }
    assert.deepEqual(asked, [
      `/a?${START_MS + 60_000}`,
      `/b?${START_MS + 60_000}`,
      '/slept?90000',
      `/a?${START_MS + 120_000}`,
      `/b?${START_MS + 120_000}`,
      `/a?${START_MS + 180_000}`,
      `/b?${START_MS + 180_000}`,
    ]);
    const { rssBytes, highestBytes, cpuSeconds } = await child.figures();
    assert.ok(rssBytes > 1e7 && highestBytes >= rssBytes && cpuSeconds > 0);
  } finally {
    await child.stop();
  }
});

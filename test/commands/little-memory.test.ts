/** The server as users run it, with little memory: an answer is refused before it begins, or complete. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { rowsPath, writeDays } from '../../bench/stream-store.ts';
import { errorOf, startBundleServer, type BundleServer } from '../support/servers/bundle-server.ts';

const DAYS = 4;
const MOST_ROWS = 60_000;
const FORMATS = ['json', 'ndjson', 'csv&columns=full', 'arrow', 'json&aggregate=pod'];

const folder = mkdtempSync(join(tmpdir(), 'prorata-little-'));
const flags = (limit: string): string[] => [
  `--data-dir=${folder}`,
  '--now=2024-07-01T00:00:00Z',
  '--timezone=UTC',
  '--workers=1',
  `--memory-limit=${limit}`,
];

// Answers begin with the newest day: the oldest, which is read last, has most rows.
before(() =>
  writeDays(folder, { days: DAYS, rows: 50 }, (day) => (day === 0 ? MOST_ROWS : 50 + day)),
);
after(() => rmSync(folder, { recursive: true, force: true }));

/** Proofs ask for both formats. */
const STEPS: readonly (readonly [times: string, formats: readonly string[]])[] = [
  ['window=1d&step=1h', ['json', 'ndjson']],
  ['window=2d&step=1h', ['ndjson', 'json']],
  ['window=3d&step=6h', ['ndjson', 'json']],
  ['window=3d&step=1d', ['json', 'ndjson']],
];

async function withServer(limit: string, use: (server: BundleServer) => Promise<void>) {
  const server = await startBundleServer(flags(limit));
  try {
    await use(server);
    assert.deepEqual(server.errors, []);
  } finally {
    await server.stop();
  }
}

test('P-M5: an answer whose last day does not fit is refused before its first byte', async () => {
  await withServer('174Mi', async (server) => {
    for (const format of FORMATS) {
      for (let again = 0; again < 2; again++) {
        const answer = await server.ask(rowsPath({ days: DAYS, rows: 0 }, format));
        assert.deepEqual([format, answer.status, answer.wasCut], [format, 422, false]);
        assert.match(errorOf(answer).hint ?? '', /--memory-limit/);
      }
    }
    // Sets are read for each by itself at first, then stay, then had to go.
    for (let again = 0; again < 4; again++) {
      const asked = `json&aggregate=namespace&limit=3&filter=node!:"none-${again}"`;
      const small = await server.ask(rowsPath({ days: DAYS, rows: 0 }, asked));
      assert.equal(small.status, 200, small.text.slice(0, 200));
    }
  });
});

test('the same answer is complete if it fits', async () => {
  await withServer('1Gi', async (server) => {
    const answer = await server.ask(rowsPath({ days: DAYS, rows: 0 }, 'ndjson'));
    assert.deepEqual([answer.status, answer.wasCut], [200, false]);
    const rows = answer.text.trimEnd().split('\n').length;
    assert.equal(rows, MOST_ROWS + 51 + 52 + 53);
  });
});

test('P-M5: a computed answer is refused before its first byte, or complete, at any step', async () => {
  const server = await startBundleServer(['--now=2024-07-01T00:00:00Z', '--workers=2', '--memory-limit=256Mi']);
  let refused = 0;
  try {
    for (const [times, formats] of STEPS) {
      for (const format of process.env['PROVE'] === undefined ? formats.slice(0, 1) : formats) {
        const { status, wasCut, text } = await server.compute(`${times}&format=${format}`);
        assert.ok(!wasCut, `${times} as ${format} broke off after ${text.length} characters`);
        assert.ok([200, 422].includes(status), `${times} as ${format}: ${text.slice(0, 200)}`);
        if (status === 422) refused++;
      }
    }
    assert.ok(refused > 0, 'nothing was too large: the test is void');
    assert.deepEqual(server.errors, []);
  } finally {
    await server.stop();
  }
}); // prettier-ignore

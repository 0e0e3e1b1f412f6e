/** The server as users run it with readers that pause, such as a save dialog or a pager. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { rowsPath, writeDays } from '../../bench/stream-store.ts';
import { parsed, startServerProcess } from '../support/servers/server-process.ts';
import { measured } from '../support/measured.ts';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';

/** Below the promised 30 s without a byte, after which a reader is cut off. */
const PAUSES_MS = [28_000, 28_000, 14_000] as const;
const CUT_AFTER_MS = 36_000;
/** More than sockets on both sides hold, so that the server has to wait. */
const LEAST_BYTES = 40 << 20;
const FLAGS = ['--now=2024-07-01T00:00:00Z', '--timezone=UTC', '--workers=2'];
const SIZE = { days: 4, rows: 20_000 };
const PATH = rowsPath(SIZE);

const home = mkdtempSync(join(tmpdir(), 'prorata-paused-'));
const days = join(home, 'days');
mkdirSync(days);
before(() => writeDays(days, SIZE));
after(() => rmSync(home, { recursive: true, force: true }));

interface Body {
  readonly bytes: number;
  readonly crc: number;
  readonly isWhole: boolean;
}

/** @param pausesMs pairs of the byte at which the reader stops, and for how long */
function read(url: string, pausesMs: readonly (readonly [number, number])[] = []): Promise<Body> {
  const left = pausesMs.toSorted(([a], [b]) => a - b);
  let [bytes, crc] = [0, 0];
  return new Promise((resolve, reject) => {
    get(url + PATH, { agent: false, headers: { 'accept-encoding': 'identity' } }, (response) => {
      response.on('data', (part: Uint8Array) => {
        bytes += part.length;
        crc = crc32(part, crc);
        if (bytes < (left[0]?.[0] ?? Infinity)) return;
        response.pause();
        setTimeout(() => response.resume(), left.shift()?.[1]);
      });
      response.on('error', () => undefined);
      response.on('close', () => resolve({ bytes, crc, isWhole: response.complete }));
    }).on('error', reject);
  });
}

describe('readers that pause', { concurrency: 2 }, () => {
  for (const frontEnd of FRONT_END_NAMES) {
    test(`P-L5: get all bytes from ${frontEnd} after 28 s, and are cut off after 36`, async (t) => {
      const folder = join(home, frontEnd);
      cpSync(days, folder, { recursive: true });
      const flags = [...FLAGS, `--front-end=${frontEnd}`, `--data-dir=${folder}`];
      const server = await startServerProcess(flags);
      try {
        const expected = await read(server.url);
        assert.ok(expected.isWhole && expected.bytes > LEAST_BYTES, `${expected.bytes} bytes`);
        const places = PAUSES_MS.map(() => Math.floor(Math.random() * expected.bytes));
        // Also among the last bytes, when the rest is in sockets.
        const nearEnd = expected.bytes - Math.floor(Math.random() * (4 << 20));
        t.diagnostic(`pauses at ${places.join(', ')} and ${nearEnd} of ${expected.bytes} bytes`);
        const [late, ...paused] = await Promise.all([
          read(server.url, [[expected.bytes / 8, CUT_AFTER_MS]]),
          ...places.map((place, i) => read(server.url, [[place, PAUSES_MS[i] ?? 0]])),
          read(server.url, [[nearEnd, PAUSES_MS[0]]]),
        ]);
        for (const body of paused) assert.deepEqual(body, expected);
        assert.equal(late?.isWhole, false);
        measured(
          t,
          'P-L5',
          `pauses of ${PAUSES_MS.join(' and ')} ms live, of ${CUT_AFTER_MS} ms end`,
        );
        for (const line of server.lines) assert.equal(parsed(line)[0]?.level, 30, line);
      } finally {
        assert.equal(await server.stop(), 0);
      }
    });
  }
});

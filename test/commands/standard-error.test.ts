/** Standard error of the server as users run it, also without a reader. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { rowsPath, writeDays } from '../../bench/stream-store.ts';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';
import { parsed, startServerProcess } from '../support/servers/server-process.ts';

const SECRET = 'hunter2hunter2';
/** Missing bills: each is logged once a second, with a URL of many bytes. */
const BILLS = 300;
const FLAGS = ['--refresh=0', '--workers=1', '--bill-refresh=1s'];
/** Enough to fill a pipe and the log's own buffer. */
const UNREAD_MS = 8000;
/** One that waits for the reader never ends. */
const ANSWERED_WITHIN_MS = 20_000;

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

describe('standard error', { concurrency: 3 }, () => {
  for (const frontEnd of FRONT_END_NAMES) {
    test(`without a reader stops neither answers of ${frontEnd} nor its end`, async () => {
      const config = `--config=${settings()}`;
      const server = await startServerProcess([...FLAGS, config, `--front-end=${frontEnd}`]);
      server.deafen();
      for (const end = Date.now() + UNREAD_MS; Date.now() < end; await sleep(250)) {
        const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
        const reply = await fetch(`${server.url}/readyz?verbose`, { signal });
        assert.equal(reply.status, 200);
      }
      assert.equal(await server.stop(), 0, 'it had to be killed');
    });
  }

  test('S-18: has lines of JSON, no secrets, and a count of dropped lines', async () => {
    const server = await startServerProcess([...FLAGS, `--config=${settings()}`]);
    server.deafen();
    await sleep(UNREAD_MS);
    server.hear();
    const isLogged = (): boolean =>
      server.lines.some((line) => line.includes('lines were dropped'));
    for (const end = Date.now() + 120_000; !isLogged() && Date.now() < end;) await sleep(50);
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

const SIZE = { days: 2, rows: 20_000 };
/** Beyond what sockets on both sides hold, and longer than the engine waits for a reader by itself. */
const PAUSES_MS = [0, 3000, 13_000];

/** Files that a server's process loads first: each is what becomes of its connections to itself. */
const LOOPBACKS: Readonly<Record<string, string>> = {
  'is there': '',
  'is not there': loopback("socket.destroy(new Error('no loopback'))"),
  'is cut after a second': loopback('if (count === 1) setTimeout(() => socket.destroy(), 1000)'),
};

function loopback(fate: string): string {
  return `import net from 'node:net';
import { syncBuiltinESMExports } from 'node:module';
const { connect } = net;
let count = 0;
net.connect = (...given) => {
  const socket = connect(...given);
  count++;
  ${fate};
  return socket;
};
syncBuiltinESMExports();
`;
}

/** @returns a checksum of the whole answer; the reader pauses after its first 4 MB */
function read(url: string, pauseMs: number, encoding: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let [bytes, crc, isPaused] = [0, 0, false];
    get(url, { agent: false, headers: { 'accept-encoding': encoding } }, (response) => {
      response.on('data', (part: Uint8Array) => {
        bytes += part.length;
        crc = crc32(part, crc);
        if (isPaused || pauseMs === 0 || bytes < 4e6) return;
        isPaused = true;
        response.pause();
        setTimeout(() => response.resume(), pauseMs);
      });
      response.on('end', () => resolve(`${bytes} bytes, ${crc}`));
      response.on('error', reject);
    }).on('error', reject);
  });
}

describe('standard error beside long answers', { concurrency: 3 }, () => {
  for (const [state, source] of Object.entries(LOOPBACKS)) {
    test(`has lines of JSON alone where a connection to itself ${state}`, async () => {
      const days = join(folder, state.replaceAll(' ', '-'));
      mkdirSync(days);
      await writeDays(days, SIZE);
      const first = `${days}.mjs`;
      writeFileSync(first, source);
      const flags = ['--now=2024-07-01T00:00:00Z', '--timezone=UTC', `--data-dir=${days}`];
      const env = { NODE_OPTIONS: `--import=${first}` };
      const server = await startServerProcess([...flags, '--workers=1'], { env });
      try {
        await sleep(1200);
        const url = server.url + rowsPath(SIZE);
        const readers = PAUSES_MS.map((pauseMs) => read(url, pauseMs, 'identity'));
        const [whole, ...others] = await Promise.all([...readers, read(url, 0, 'gzip')]);
        assert.deepEqual(others.slice(0, -1), [whole, whole]);
        // The writes of a single body, and those after a lost connection was opened again.
        await read(`${url}&limit=2000`, 0, 'identity');
      } finally {
        assert.equal(await server.stop(), 0);
      }
      for (const line of server.lines) assert.equal(parsed(line).length, 1, line.slice(0, 200));
    });
  }
});

/** Files that a server's process loads first, by what the native engine finds. */
const otherPlatform = "Object.defineProperty(process, 'arch', { value: 'sparc' });\n";
const ROWS = '/model/allocation/compute?window=1h&aggregate=namespace';
const FALLBACK = 'serving with node:http';

describe(`standard error on Node ${process.versions.node}`, { concurrency: 3 }, () => {
  for (const flags of [[], ['--memory-limit=400Mi']]) {
    test(`has lines of JSON alone, no warnings of Node and no texts of V8: ${flags.join(' ')}`, async () => {
      const own = ['--demo=true', '--refresh=0', '--workers=2', ...flags];
      const server = await startServerProcess(own);
      try {
        assert.equal((await fetch(server.url + ROWS)).status, 200);
      } finally {
        assert.equal(await server.stop(), 0);
      }
      const logged = server.lines.flatMap(parsed);
      assert.equal(logged.length, server.lines.length, server.lines.join('\n'));
      assert.deepEqual(
        logged.filter(({ msg }) => msg === 'Node warns'),
        [],
      );
      const fallbacks = logged.filter(({ msg }) => msg === FALLBACK);
      assert.equal(fallbacks.length, FRONT_END_NAMES.includes('uws') ? 0 : 1);
    });
  }

  test('reports once that a platform without a native engine is served by node:http', async () => {
    const first = join(folder, 'sparc.mjs');
    writeFileSync(first, otherPlatform);
    const env = { NODE_OPTIONS: `--import=${first}` };
    const server = await startServerProcess(['--refresh=0', '--workers=1'], { env });
    try {
      assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    } finally {
      assert.equal(await server.stop(), 0);
    }
    const [line, ...more] = server.lines.flatMap(parsed).filter(({ msg }) => msg === FALLBACK);
    assert.deepEqual(more, []);
    assert.equal(line?.['frontEnd'], 'node');
    assert.match(
      String(line?.['reason']),
      /^cannot load the native HTTP engine \(linux-sparc, Node \d+\.\d+\.\d+, .*glibc.*\): no build is installed$/,
    );
  });

  test('--front-end uws is an error on a platform without a native engine', async () => {
    const first = join(folder, 'sparc-uws.mjs');
    writeFileSync(first, otherPlatform);
    const env = { NODE_OPTIONS: `--import=${first}` };
    await assert.rejects(startServerProcess(['--front-end=uws'], { env }), (error) => {
      assert.match(String(error), /ended with 1:/);
      assert.match(String(error), /\(linux-sparc, Node .*\): no build is installed/);
      assert.match(String(error), /use --front-end node/);
      return true;
    });
  });
});

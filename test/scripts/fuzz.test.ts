/** A short fuzz of the bundle, and that each of its checks can fail. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bytesOf, send } from '../../scripts/fuzz-client.ts';
import { BUSY_MAX_MS, fuzz, ledElsewhere } from '../../scripts/fuzz-run.ts';
import { startWatched } from '../../scripts/fuzz-server.ts';
import { SIGNED_IN } from '../../scripts/hostile-logins.ts';
import { hostileRequest, ROUTES, type HostileRequest } from '../../scripts/hostile-requests.ts';
import { UNUSED_LOGIN_FLAGS } from '../support/servers/login-world.ts';
import { startOwnServer } from '../support/servers/own-server.ts';
import { measured } from '../support/measured.ts';
import { FASTEST } from '../support/front-end-names.ts';
import { isProof } from '../support/sampled.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

test('every route of the server is fuzzed, and no other', async () => {
  const server = await startOwnServer(['--workers=1', ...UNUSED_LOGIN_FLAGS]);
  // Two routes of one path answer in two dialects.
  const served = [...new Set(server.routes.map(({ method, path }) => `${method} ${path}`))];
  await server.stop();
  assert.deepEqual(ROUTES.map((route) => route.join(' ')).toSorted(), served.toSorted());
});

test('a seed and a number give the same bytes, others give others', () => {
  const bytes = (seed: number): string[] =>
    Array.from({ length: 300 }, (_, i) => bytesOf(hostileRequest(seed, i)).toString('base64'));
  assert.deepEqual(bytes(1), bytes(1));
  assert.ok(new Set([...bytes(1), ...bytes(2)]).size > 550);
});

test('a browser that is led elsewhere is seen', () => {
  const led = (location: string): string | undefined =>
    ledElsewhere(`HTTP/1.1 302 Found\r\n${location}\r\n\r\nLocation: no header`, [
      'https://a.example/',
    ]);
  assert.equal(led('Location: https://a.example.evil/'), 'https://a.example.evil/');
  assert.equal(led('location: //b'), '//b');
  assert.equal(led('location: /\\b'), '/\\b');
  assert.equal(led('location: /b'), undefined);
  assert.equal(led('location: https://a.example/b'), undefined);
  assert.equal(led('x: y'), undefined);
});

test('a main thread that works too long is seen, and one that sleeps is not', () => {
  const watch = pathToFileURL(fileURLToPath(new URL('../../scripts/main-thread-watch.js', import.meta.url))); // prettier-ignore
  const turns = (script: string): { readonly busyMs: number }[] => {
    const { output } = spawnSync(process.execPath, [`--import=${watch.href}`, '-e', script], {
      env: { ...process.env, WATCH_FD: '3', WATCH_MS: String(BUSY_MAX_MS) },
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
      encoding: 'utf8',
    });
    const lines = (output[3] ?? '').split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as { readonly busyMs: number });
  };
  const spun = `setTimeout(() => {
    const end = process.cpuUsage().user + 120_000;
    while (process.cpuUsage().user < end);
    setTimeout(() => {}, 50);
  }, 100)`;
  assert.ok(turns(spun).some(({ busyMs }) => busyMs > 80));
  const slept = `setTimeout(() => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200); setTimeout(() => {}, 50); }, 100)`; // prettier-ignore
  assert.ok(turns(slept).every(({ busyMs }) => busyMs < 80));
});

describe('the bundle', () => {
  const REQUESTS = isProof ? 600 : 150;

  test(`P-L2: ${REQUESTS} hostile requests: no 500, no end, nobody waits for one of them`, async (t) => {
    const port = await freePort();
    const progress = (): void => undefined;
    const seconds = Infinity;
    const options = {
      requests: REQUESTS,
      seconds,
      seed: 7,
      port,
      frontEnd: FASTEST,
      ...(isProof ? {} : { days: 2 }),
      connections: 4,
      progress,
    };
    const { failures, counts } = await fuzz(options);
    assert.deepEqual(failures, []);
    const sent = [...counts.values()].reduce((sum, count) => sum + count, 0);
    assert.equal(sent, REQUESTS);
    measured(t, 'P-L2', `${sent} hostile requests, none answered 5xx`);
    assert.ok((counts.get('200') ?? 0) > REQUESTS / 10, 'many are answered');
    assert.ok((counts.get('400') ?? 0) > REQUESTS / 10, 'many are refused');
  });

  test('P-L2: the main thread is not busy with long bodies, and heads may have 64 KiB', async (t) => {
    let busiestMs = 0;
    // Nothing that is asked for reads them.
    const days = 1;
    const server = await startWatched(await freePort(), FASTEST, days);
    const post = (path: string, text: string): HostileRequest => ({
      number: 0,
      method: 'POST',
      target: path,
      headers: [...SIGNED_IN, ['content-type', 'application/json']],
      body: Buffer.from(text),
      framing: 'length',
    });
    const spec = '/prediction/speccost?clusterID=production&defaultNamespace=default';
    const item = '{"kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"b"}]}}';
    const row = '{"clusterID":"production","namespace":"a","controllerKind":"deployment","controllerName":"b","containerName":"c","recommendedRequest":{"cpu":1}}'; // prettier-ignore
    const list = (one: string): string =>
      `[${`${one},`.repeat(9_000_000 / (one.length + 1))}${one}]`;
    const asked = [
      [post(spec, '['.repeat(2000)), 400],
      [post(spec, '['.repeat(9_000_000)), 400],
      [post(spec, list('1')), 413],
      [post(spec, list(item)), 200],
      [post('/cluster/requestsizer/plan', list(row)), 200],
      [post('/cluster/requestsizer/apply', list('{}')), 413],
      [post('/collections', `{"name":${'['.repeat(50_000)}${']'.repeat(50_000)}}`), 400],
      [post('/collections', list('1')), 413],
      [{ ...post(`/allocation?window=1d&filter=${'('.repeat(20_000)}`, ''), method: 'GET', framing: 'none' }, 400], // prettier-ignore
    ] as const;
    try {
      for (const [request, status] of asked) {
        // The first of a kind compiles what it runs through, and others have the cores as well.
        let least = Infinity;
        for (let times = 0; times < 12 && least > BUSY_MAX_MS; times++) {
          const from = server.turns.length;
          const outcome = await send(server.port, request);
          assert.equal(outcome.status, status, outcome.begin);
          const turns = server.turns.slice(from).map(({ busyMs }) => busyMs);
          least = Math.min(least, Math.max(0, ...turns));
        }
        assert.ok(least <= BUSY_MAX_MS, `${request.target.slice(0, 60)}: ${least} ms`);
        busiestMs = Math.max(busiestMs, least);
      }
      assert.equal(server.ended(), undefined);
      measured(t, 'P-L2', `${busiestMs.toFixed(1)} ms the main thread’s longest turn`);
    } finally {
      await server.stop();
    }
  });
});

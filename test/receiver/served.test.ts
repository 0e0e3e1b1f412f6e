/** `prorata serve --receive` as users run it: what is sent is answered from, told of, and there after a restart. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { podSeries } from '../support/fleets/pod-store.ts';
import { startServerProcess, type ServerProcess } from '../support/servers/server-process.ts';
import {
  TYPE_V2,
  write,
  writeRequest,
  writeRequestV2,
  WRITE_HEADERS,
} from '../support/stores/written-samples.ts';
import { FASTEST } from '../support/front-end-names.ts';

const BIN = fileURLToPath(new URL('../../src/prorata.js', import.meta.url));
const TOKEN = 'a-token-of-sixteen-or-more';
const BEARER = { authorization: `Bearer ${TOKEN}` };
const MINUTE_MS = 60_000;
/** Now, and an hour of samples before. */
const END_MS = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
const TIMES = Array.from({ length: 61 }, (_, i) => END_MS - (60 - i) * MINUTE_MS);
const EDGES = [END_MS - 50 * MINUTE_MS, END_MS - 10 * MINUTE_MS];
const WINDOW = EDGES.map((ms) => new Date(ms).toISOString()).join(',');

const home = mkdtempSync(join(tmpdir(), 'prorata-receive-'));
after(() => rmSync(home, { recursive: true, force: true }));
const folder = join(home, 'data');

function start(frontEnd: string, more: readonly string[] = []): Promise<ServerProcess> {
  const flags = ['--receive', `--data-dir=${folder}`, '--workers=1', '--refresh=0'];
  const env = { RECEIVE_TOKEN: TOKEN };
  return startServerProcess([...flags, `--front-end=${frontEnd}`, ...more], { env });
}

async function textOf({ url }: ServerProcess, path: string): Promise<string> {
  return await (await fetch(url + path)).text();
}

async function costs(server: ServerProcess): Promise<Record<string, number>> {
  const path = `/model/allocation/compute?window=${WINDOW}&aggregate=pod&resolution=exact`;
  const { data } = JSON.parse(await textOf(server, path)) as { data: Record<string, Row>[] };
  const rows = Object.entries(data[0] ?? {});
  return Object.fromEntries(rows.map(([pod, { cpuCoreHours }]) => [pod, cpuCoreHours]));
}

/** The status before any of the body is sent: the server may close while it would still come. */
async function statusOfLong(url: string, bytes: number): Promise<number | undefined> {
  const headers = { ...WRITE_HEADERS, ...BEARER, 'content-length': bytes };
  const asked = request(`${url}/api/v1/write`, { method: 'POST', headers, agent: false });
  asked.flushHeaders();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  asked.on('error', () => undefined).destroy();
  return response.statusCode;
}

interface Row {
  readonly cpuCoreHours: number;
}

function command(...args: readonly string[]): { status: number | null; out: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '' },
  });
  return { status, out: stdout + stderr };
}

describe('a server that receives', () => {
  test('stores what is sent by either version, answers from it, tells of it, and has it after a restart', async () => {
    const first = await start(FASTEST);
    const one = writeRequest(podSeries('a-1', TIMES));
    try {
      assert.equal((await write(first.url, one)).status, 401, 'the token is missing');
      const stored = await write(first.url, one, BEARER);
      assert.equal(stored.status, 204, stored.text);
      assert.equal(stored.headers.get('x-prometheus-remote-write-samples-written'), '305');
      const both = writeRequestV2([...podSeries('a-1', TIMES), ...podSeries('b-1', TIMES)]);
      const again = await write(first.url, both, { ...BEARER, 'content-type': TYPE_V2 });
      assert.equal(again.status, 204, again.text);
      const late = writeRequest(podSeries('a-1', [END_MS - 86_400_000, END_MS]));
      const refused = await write(first.url, late, BEARER);
      assert.equal(refused.status, 400);
      assert.match(refused.text, /5 samples .*kube_pod_info/);
      assert.deepEqual(await costs(first), { 'a-1': 1 / 3, 'b-1': 1 / 3 });
      const metrics = await textOf(first, '/metrics');
      assert.match(metrics, /^prorata_receiver_requests_total\{outcome="stored"\} 2$/m);
      assert.match(metrics, /^prorata_receiver_requests_total\{outcome="refused"\} 1$/m);
      assert.match(metrics, /^prorata_receiver_series 10$/m);
      assert.match(metrics, /^prorata_store_samples_total\{reader="receiver"\} [1-9]/m);
      const ready = JSON.parse(await textOf(first, '/readyz?verbose')) as { receiver: object };
      assert.deepEqual(
        { ...ready.receiver, blocks: 0 },
        {
          series: 10,
          blocks: 0,
          oldestSample: new Date(TIMES[0] ?? 0).toISOString(),
          newestSample: new Date(END_MS).toISOString(),
        },
      );
      const doctor = command('doctor', '--url', first.url);
      assert.match(doctor.out, /\nreceiver\n +stores samples +yes\n/);
      assert.match(doctor.out, /! samples that were refused +5 /);
    } finally {
      assert.equal(await first.stop(), 0);
    }
    const second = await start('node');
    try {
      assert.deepEqual(await costs(second), { 'a-1': 1 / 3, 'b-1': 1 / 3 });
      const gone = await write(second.url, one.subarray(0, 40), BEARER);
      assert.equal(gone.status, 400);
      assert.equal(await statusOfLong(second.url, 11 << 20), 413);
      const own = command('doctor', '--receive', `--data-dir=${folder}`);
      assert.equal(own.status, 0, own.out);
      assert.match(own.out, /store +the receiver of the server that has the folder/);
      const fsck = command('fsck', '--data-dir', folder);
      assert.equal(fsck.status, 0, fsck.out);
      assert.match(fsck.out, /^received samples checked: .*newer ones are in use$/m);
    } finally {
      assert.equal(await second.stop(), 0);
    }
  });

  test('answers a write while questions that are computed wait for their turns', async () => {
    const server = await start('node');
    try {
      const path = `/model/allocation/compute?window=${WINDOW}&resolution=exact&aggregate=`;
      const left = new AbortController();
      const asked = Array.from({ length: 12 }, async (_, i) =>
        fetch(`${server.url}${path}label:l${i}`, { signal: left.signal }).then(
          async (reply) => void (await reply.arrayBuffer()),
          () => undefined,
        ),
      );
      const written = await write(server.url, writeRequest(podSeries('c-1', [END_MS])), BEARER);
      assert.equal(written.status, 204);
      left.abort();
      await Promise.all(asked);
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });

  test('says 429 with Retry-After beyond its rate', async () => {
    const server = await start('node', ['--receive-rate=50']);
    try {
      const body = writeRequest(podSeries('d-1', TIMES));
      assert.equal((await write(server.url, body, BEARER)).status, 204);
      const more = await write(server.url, body, BEARER);
      assert.equal(more.status, 429);
      assert.match(more.headers.get('retry-after') ?? '', /^[1-9]$/);
      assert.match(more.text, /50 samples a second.*--receive-rate/);
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });

  test('takes nothing on open connections once it stops listening, and ends with all that it took', async () => {
    const server = await start('node', ['--drain-timeout=30s']);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const body = writeRequest(podSeries('e-1', TIMES));
    const send = async (): Promise<number | string> => {
      const { hostname, port } = new URL(server.url);
      const to = { agent, hostname, port, method: 'POST', path: '/api/v1/write' };
      const sent = request({ ...to, headers: { ...WRITE_HEADERS, ...BEARER } });
      sent.end(body);
      try {
        const [reply] = (await once(sent, 'response')) as [IncomingMessage];
        reply.resume();
        await once(reply, 'end');
        return reply.statusCode ?? 0;
      } catch {
        return 'closed';
      }
    };
    assert.equal(await send(), 204);
    const ended = server.stop();
    let last = await send();
    while (last === 204) last = await send();
    assert.ok(last === 503 || last === 'closed', String(last));
    agent.destroy();
    assert.equal(await ended, 0);
    const next = await start('node');
    try {
      assert.equal((await costs(next))['e-1'], 1 / 3);
    } finally {
      assert.equal(await next.stop(), 0);
    }
  });
});

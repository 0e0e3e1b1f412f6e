/** Kubelets over TLS, which answer as they should, or refuse, hang, lie and break off. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type Server as PlainServer,
  type ServerResponse,
} from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Kubelets, offsetOf } from '../../../src/agent/kubelets/kubelets.ts';
import type { KubeletNode } from '../../../src/agent/kubelets/node-pages.ts';
import type { Sample } from '../../../src/agent/series.ts';
import { labelsIn } from '../../support/references/sample-texts.ts';
import { requireService, skipWithout } from '../../support/servers/services.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, page: string) => void;

const INTERVAL_MS = 600;
/** Long for a machine that is busy. */
const TIMEOUT_MS = 1500;
const BOMB = gzipSync(Buffer.alloc(80 * 1024 ** 2, '# nothing\n'));
const GPUS = 'DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-1",Hostname="n",pod="shop-0"} 50\n';
const HOUR_MS = 3_600_000;

/** CPU is in both pages of a kubelet. */
function pageOf(path: string, nowMs: number): string {
  const labels = 'container="app",namespace="web",pod="shop-0"';
  const cpu = `container_cpu_usage_seconds_total{${labels}} 12.5 ${nowMs}\n`;
  if (path === '/metrics/resource') {
    return `${cpu}container_memory_working_set_bytes{${labels}} 1e6 ${nowMs}\n`;
  }
  const ofPod = 'container="",interface="eth0",namespace="web",pod="shop-0"';
  return `${cpu}container_network_receive_bytes_total{${ofPod}} 7 ${nowMs}\n`;
}

const sound: Answer = (_, response, page) => void response.end(page);

const HANGING = ['silent', 'dripping'];

/** By node. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  sound,
  gzipped: (_, response, page) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(page)),
  forbidden: (_, response) => void response.writeHead(403).end('Forbidden (user=prorata-agent)'),
  renewing: (request, response, page) => {
    const isOld = request.headers.authorization === 'Bearer token-1';
    if (isOld) response.writeHead(401).end();
    else response.end(page);
  },
  silent: () => undefined,
  dripping: (_, response) => {
    const timer = setInterval(() => response.write('# drop\n'), 20);
    response.on('close', () => clearInterval(timer));
  },
  half: (_, response, page) => {
    response.writeHead(200, { 'content-length': 2 * page.length });
    response.write(page, () => response.destroy());
  },
  bomb: (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
  older: (request, response, page) => {
    if (request.url === '/metrics/resource') response.writeHead(404).end();
    else response.end(page);
  },
  ahead: (_, response, page) => {
    const nowMs = Date.now() + HOUR_MS;
    response.writeHead(200, { date: new Date(nowMs).toUTCString() });
    response.end(page.replaceAll(/\d{13}$/gm, String(nowMs)));
  },
};

describe('kubelets', { skip: skipWithout('openssl') }, () => {
  const home = mkdtempSync(join(tmpdir(), 'prorata-kubelets-'));
  const servers: (Server | PlainServer)[] = [];
  const nodes: KubeletNode[] = [];
  const told: string[] = [];
  const samples = new Map<string, (Sample & { readonly name: string; readonly path: string })[]>();
  const exporterTokens: string[] = [];
  let dcgmPort = 0;
  let tls = { cert: Buffer.alloc(0), key: Buffer.alloc(0) };
  let tokens = 0;
  let kubelets: Kubelets;

  before(async () => {
    const [cert, key] = [join(home, 'tls.crt'), join(home, 'tls.key')];
    const subject = ['-subj', '/CN=kubelet', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const args = ['req', '-x509', ...newKey, '-keyout', key, '-out', cert, ...subject];
    execFileSync(requireService('openssl') ?? '', args, { stdio: 'ignore' });
    tls = { cert: readFileSync(cert), key: readFileSync(key) };
    for (const [name, answer] of Object.entries(ANSWERS)) {
      nodes.push({ name, addresses: ['127.0.0.1'], kubeletPort: await listen(answer) });
    }
    const exporter = createPlainServer((request, response) => {
      exporterTokens.push(request.headers.authorization ?? '');
      response.end(GPUS);
    });
    servers.push(exporter);
    await once(exporter.listen(0, '127.0.0.1'), 'listening');
    dcgmPort = (exporter.address() as AddressInfo).port;
    nodes.push({ name: 'refused', addresses: ['127.0.0.1'], kubeletPort: 1 });
    // The certificate has no such name, and no such address.
    nodes.push({ name: 'untrusted', addresses: ['127.0.0.2'], kubeletPort: await listen(sound) });
    const log = {
      info: (_: object, message: string) => void told.push(`info ${message}`),
      warn: (_: object, message: string) => void told.push(`warn ${message}`),
    };
    kubelets = new Kubelets({
      nodes: () => nodes,
      access: () =>
        Promise.resolve({
          headers: { Authorization: `Bearer token-${++tokens}` },
          tls: { ca: tls.cert, rejectUnauthorized: true },
        }),
      intervalMs: INTERVAL_MS,
      dcgmPort,
      timeoutMs: TIMEOUT_MS,
      log,
      take: (taken) => Promise.resolve(taken.forEach(keep)),
    });
    // Those that hang are read once in the time in which others are read twice.
    await until(() =>
      nodes.every(({ name }) => upsOf(name).length >= (HANGING.includes(name) ? 3 : 6)),
    );
  });
  after(async () => {
    await kubelets.close();
    servers.forEach((server) => server.close().closeAllConnections());
    rmSync(home, { recursive: true, force: true });
  });

  async function listen(answer: Answer): Promise<number> {
    const server = createServer(tls, (request, response) => {
      response.on('error', () => undefined);
      answer(request, response, pageOf(request.url ?? '', Date.now()));
    });
    servers.push(server);
    await once(server.listen(0), 'listening');
    return (server.address() as AddressInfo).port;
  }

  function keep(sample: Sample): void {
    const labels = new Map(labelsIn(sample.labels));
    const node = labels.get('node') ?? '';
    const name = labels.get('__name__') ?? '';
    const path = labels.get('metrics_path') ?? '';
    samples.set(node, [...(samples.get(node) ?? []), { ...sample, name, path }]);
  }

  function upsOf(node: string): number[] {
    const all = samples.get(node) ?? [];
    return all.filter(({ name }) => name === 'up').map(({ value = NaN }) => value);
  }

  /** `up` of each page and how often each metric of which path was told, without repeated ones. */
  function seriesOf(node: string): string[] {
    const all = (samples.get(node) ?? []).filter(({ path }) => path !== '');
    const usage = all.filter(({ name }) => name !== 'up');
    return [...new Set(usage.map(({ name, path }) => `${path} ${name}`))].toSorted();
  }

  const BOTH = [
    '/metrics/cadvisor container_network_receive_bytes_total',
    '/metrics/resource container_cpu_usage_seconds_total',
    '/metrics/resource container_memory_working_set_bytes',
  ];
  const CASES = [
    { node: 'sound', series: BOTH, warn: undefined },
    { node: 'gzipped', series: BOTH, warn: undefined },
    { node: 'renewing', series: BOTH, warn: undefined },
    { node: 'ahead', series: BOTH, warn: /node ahead is 360\d s ahead; times of its samples are corr/ },
    { node: 'older', series: ['/metrics/cadvisor container_cpu_usage_seconds_total', BOTH[0]], warn: /node older: it answered 404/ },
    { node: 'forbidden', series: [], warn: /\/metrics\/cadvisor of the kubelet of node forbidden: it answered 403: Forbidden \(user=prorata-agent\); the service account needs the right get on nodes\/metrics/ },
    { node: 'silent', series: [], warn: /node silent: it did not answer within 1.5 s/ },
    { node: 'dripping', series: [], warn: /node dripping: it did not answer within 1.5 s/ },
    { node: 'half', series: [], warn: /node half: (the connection was closed|its answer broke off|aborted)/ },
    { node: 'bomb', series: [], warn: /node bomb: (its page is longer than 64 MiB|it did not answer)/ },
    { node: 'refused', series: [], warn: /node refused: the connection was refused/ },
    { node: 'untrusted', series: [], warn: /node untrusted: .*not in the cert.*--kubelet-ca-file.*--kubelet-insecure/ },
  ]; // prettier-ignore
  for (const { node, series, warn } of CASES) {
    test(`P-F3: of a kubelet that is ${node}, what is read is told, and what is not is told once`, () => {
      assert.deepEqual(seriesOf(node), series);
      const ups = upsOf(node).slice(0, 3);
      const page = series.length === 2 ? [0, 1] : series.length > 0 ? [1, 1] : [0, 0];
      assert.deepEqual(ups, [...page, node === 'untrusted' ? 0 : 1]);
      const lines = told.filter(
        (line) => new RegExp(`node ${node}\\b`).test(line) && !line.includes(`:${dcgmPort}/`),
      );
      if (warn === undefined) return assert.deepEqual(lines, []);
      assert.ok(
        lines.some((line) => warn.test(line)),
        lines.join('\n'),
      );
      assert.equal(new Set(lines).size, lines.length, lines.join('\n'));
    });
  }

  test('GPUs are read of an exporter on the node, which gets no token', () => {
    const all = (samples.get('sound') ?? []).filter(({ name }) => name.startsWith('DCGM'));
    assert.ok(all.length > 0 && all.every(({ value }) => value === 50));
    assert.deepEqual(new Set(exporterTokens), new Set(['']));
  });

  test('times of a clock that is an hour ahead are told as they were by ours', () => {
    const times = (samples.get('ahead') ?? []).map(({ timeMs }) => timeMs);
    assert.ok(times.every((timeMs) => Math.abs(timeMs - Date.now()) < 60_000));
  });

  test('each kubelet has a moment of the interval of its own, and they are spread', () => {
    const names = Array.from({ length: 300 }, (_, i) => `ip-10-0-0-${i}.ec2.internal`);
    const parts = names.map((name) => Math.floor(offsetOf(name, 60_000) / 6000));
    const counts = Array.from({ length: 10 }, (_, i) => parts.filter((part) => part === i).length);
    assert.ok(
      counts.every((count) => count > 10 && count < 60),
      counts.join(),
    );
    assert.equal(offsetOf('node-1', 60_000), offsetOf('node-1', 60_000));
  });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(10);
}

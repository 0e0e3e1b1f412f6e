/** `prorata agent` as a process: an API server, kubelets over TLS and a receiver, all over sockets. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SimulatedStore } from '../../src/demo/index.ts';
import { readyNode, runningPod, stored } from '../support/fleets/api-objects.ts';
import { startScriptedCluster, type ScriptedCluster } from '../support/servers/scripted-cluster.ts';
import { requireService, skipWithout } from '../support/servers/services.ts';
import { startWriteReceiver, type WriteReceiver } from '../support/servers/write-receiver.ts';

const WITHIN_MS = 60_000;

describe('an agent', { skip: skipWithout('openssl') }, () => {
  const home = mkdtempSync(join(tmpdir(), 'prorata-agent-'));
  const buffer = join(home, 'buffer');
  const caFile = join(home, 'kubelet.crt');
  const tokens: (string | undefined)[] = [];
  let kubelet: Server;
  let cluster: ScriptedCluster;
  let receiver: WriteReceiver;
  let child: ChildProcess | undefined;
  let said = '';

  before(async () => {
    const [key, subject] = [join(home, 'kubelet.key'), 'subjectAltName=IP:127.0.0.1'];
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const args = ['req', '-x509', ...newKey, '-keyout', key, '-out', caFile];
    const names = ['-subj', '/CN=kubelet', '-addext', subject];
    execFileSync(requireService('openssl') ?? '', [...args, ...names], { stdio: 'ignore' });
    const tls = { cert: readFileSync(caFile), key: readFileSync(key) };
    kubelet = createServer(tls, ({ url, headers }, response) => {
      tokens.push(headers.authorization);
      const labels = 'container="app",namespace="shop",pod="web"';
      const isCadvisor = url === '/metrics/cadvisor';
      response.end(isCadvisor ? '' : `container_memory_working_set_bytes{${labels}} 1e6\n`);
    });
    await once(kubelet.listen(0, '127.0.0.1'), 'listening');
    const store = new SimulatedStore({ nowMs: Date.now });
    const node = readyNode('n1', Date.now());
    const { port } = kubelet.address() as AddressInfo;
    const status = {
      ...node.status,
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    };
    store.put('Node', stored({ ...node, status }));
    store.put('Pod', stored(runningPod({ path: 'shop/web', startMs: Date.now() })));
    cluster = await startScriptedCluster(store);
    receiver = await startWriteReceiver();
  });
  after(async () => {
    child?.kill('SIGKILL');
    kubelet.close().closeAllConnections();
    await cluster.stop();
    await receiver.stop();
    rmSync(home, { recursive: true, force: true });
  });

  function start(): ChildProcess {
    said = '';
    const places = ['--remote-write-url', receiver.url, '--kubeconfig', cluster.kubeconfig];
    const own = ['--kubelet-ca-file', caFile, '--buffer', buffer, '--labels', 'cluster_id=here'];
    const all = [...places, ...own, '--port', '0', '--interval', '1s'];
    const started = spawn(process.execPath, ['src/prorata.js', 'agent', ...all], {
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    started.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    child = started;
    return started;
  }

  async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const endMs = performance.now() + WITHIN_MS;
    while (!(await isSo())) {
      assert.ok(performance.now() < endMs, `not within ${WITHIN_MS} ms: ${what}\n${said}`);
      await sleep(20);
    }
  }

  function metrics(): Map<string, readonly (readonly [string, string])[]> {
    const all = receiver.calls.flatMap(({ series }) => series);
    return new Map(all.map(({ labels }) => [new Map(labels).get('__name__') ?? '', labels]));
  }

  async function answer(path: string): Promise<string> {
    const port = /"health":(\d+)/.exec(said)?.[1] ?? '';
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return `${response.status} ${await response.text()}`;
  }

  test('sends objects and usage, also what it read before it was killed, and ends with 0', async () => {
    const port = Number(new URL(receiver.url).port);
    await receiver.stop();
    const killed = start();
    const waiting = (): string[] => readdirSync(buffer).filter((name) => name.endsWith('.batch'));
    await until(() => existsSync(buffer) && waiting().length >= 2, 'batches wait');
    killed.kill('SIGKILL');
    await once(killed, 'close');
    const kept = waiting().reduce((sum, name) => sum + Number(/-(\d+)\./.exec(name)?.[1]), 0);
    receiver = await startWriteReceiver([], port);
    const process = start();
    const sent = (): number => receiver.calls.reduce((sum, { series }) => sum + series.length, 0);
    await until(() => sent() > kept, 'what waited is sent, and more');
    const wanted = ['kube_pod_info', 'kube_node_info', 'container_memory_working_set_bytes', 'up'];
    await until(() => wanted.every((name) => metrics().has(name)), 'all is sent');
    assert.deepEqual(metrics().get('container_memory_working_set_bytes'), [
      ['__name__', 'container_memory_working_set_bytes'],
      ['cluster_id', 'here'],
      ['container', 'app'],
      ['instance', `127.0.0.1:${(kubelet.address() as AddressInfo).port}`],
      ['job', 'kubelet'],
      ['metrics_path', '/metrics/resource'],
      ['namespace', 'shop'],
      ['node', 'n1'],
      ['pod', 'web'],
    ]);
    assert.deepEqual(new Set(tokens), new Set(['Bearer secret']));
    assert.equal(await answer('/healthz'), '200 ok\n');
    assert.equal(await answer('/readyz'), '200 ok\n');
    assert.match(await answer('/metrics'), /^prorata_agent_sent_samples_total [1-9]/m);
    assert.match(await answer('/'), /^404/);
    process.kill('SIGTERM');
    assert.deepEqual(await once(process, 'close'), [0, null]);
    assert.deepEqual(readdirSync(buffer), []);
    assert.doesNotMatch(said, /secret/);
  });

  test('without a receiver is wrong usage', async () => {
    const process = spawn('node', ['src/prorata.js', 'agent'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [error] = await Promise.all([textOf(process.stderr), once(process, 'close')]);
    assert.equal(process.exitCode, 2);
    assert.match(error, /needs to know where to send.*\n.*--remote-write-url http/);
  });
});

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString();
}

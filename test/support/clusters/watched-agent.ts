/** `prorata agent` at the real time over a simulated cluster, and what it takes of memory and CPU. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { kubeletTls } from './kubelet-tls.ts';
import type { ClusterPlan } from './plan.ts';
import { startSimulatedCluster } from './simulated-cluster.ts';

export interface WatchedAgentOptions {
  /** It begins now. */
  readonly plan: ClusterPlan;
  readonly intervalMs: number;
  readonly forMs: number;
  /** So many further metrics of each cgroup. */
  readonly furtherMetrics: number;
}

export interface WatchedFigures {
  readonly rssBytes: number;
  readonly highestBytes: number;
  /** CPU time by time, after the first interval: all objects are listed in that. */
  readonly cores: number;
  readonly pageBytesPerMinute: number;
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Clock ticks of the kernel a second (sysconf(_SC_CLK_TCK)). */
const TICKS = 100;

/** On Linux, whose /proc tells it. What the agent sends is taken and forgotten. */
export async function watchAgent(options: WatchedAgentOptions): Promise<WatchedFigures> {
  const { plan, intervalMs, forMs, furtherMetrics } = options;
  const home = mkdtempSync(join(tmpdir(), 'prorata-watched-'));
  const tls = kubeletTls(home, plan.nodes.length);
  const cluster = await startSimulatedCluster(plan, { tls, furtherMetrics });
  const moving = setInterval(() => cluster.advance(Date.now()), 250);
  const sink = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(204).end());
  }).listen(0, '127.0.0.1');
  await once(sink, 'listening');
  const { port } = sink.address() as AddressInfo;
  const args = [
    'src/prorata.js',
    'agent',
    '--port=0',
    `--kubeconfig=${cluster.api.kubeconfig}`,
    `--remote-write-url=http://127.0.0.1:${port}/api/v1/write`,
    `--interval=${intervalMs / 1000}s`,
    `--kubelet-ca-file=${tls.caFile}`,
  ];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await sleep(intervalMs);
    const [before, sinceMs] = [usageOf(child.pid), performance.now()];
    await sleep(Math.max(intervalMs, forMs - intervalMs));
    const after = usageOf(child.pid);
    const seconds = (performance.now() - sinceMs) / 1000;
    const { bytes } = cluster.kubelets;
    return {
      rssBytes: after.rssBytes,
      highestBytes: after.highestBytes,
      cores: (after.cpuSeconds - before.cpuSeconds) / seconds,
      pageBytesPerMinute: (bytes * 60_000) / Math.max(intervalMs, forMs),
    };
  } finally {
    child.kill('SIGKILL');
    clearInterval(moving);
    sink.close();
    sink.closeAllConnections();
    await cluster.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

interface Usage {
  readonly rssBytes: number;
  readonly highestBytes: number;
  readonly cpuSeconds: number;
}

function usageOf(pid: number = 0): Usage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return {
    rssBytes: 1024 * kib('VmRSS'),
    highestBytes: 1024 * kib('VmHWM'),
    cpuSeconds: (user + system) / TICKS,
  };
}

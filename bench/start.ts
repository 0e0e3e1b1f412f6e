/**
 * Time from the start of a server over 30 stored days to its first 200 of /healthz, and of /readyz.
 * Files are in the cache of the system.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Benchmark, BenchOptions } from './harness.ts';
import { prepareDays } from './stored-days.ts';
import { flagsOf } from './stored.ts';

const COMMAND = fileURLToPath(new URL('../src/prorata.js', import.meta.url));
const PROBED_AFTER_MS = 2;

export async function* startBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const { settings, isSmoke } = options;
  const days = settings.days ?? (isSmoke ? 2 : 30);
  const rows = settings.rows ?? (isSmoke ? 100 : 1000);
  const folder = await prepareDays({ days, rows });
  const flags = flagsOf(folder, { days, rows });
  for (const path of ['/healthz', '/readyz']) {
    yield {
      title: `start over ${days} stored days, to 200 of ${path}`,
      amount: 1,
      unit: 'start',
      isSlow: true,
      tasks: (settings.nodes ?? [process.execPath]).map((node) => ({
        name: `Node ${versionOf(node)}`,
        run: () => started(node, path, flags),
      })),
    };
  }
}

function versionOf(node: string): string {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return stdout.trim().slice(1);
}

async function started(node: string, path: string, flags: readonly string[]): Promise<void> {
  const port = await freePort();
  const child = spawn(node, [COMMAND, 'serve', `--port=${port}`, '--drain-delay=0', ...flags], {
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  try {
    while ((await statusOf(`http://127.0.0.1:${port}${path}`)) !== 200) {
      if (child.exitCode !== null) throw new Error(`${node} ended with ${child.exitCode}`);
      await sleep(PROBED_AFTER_MS);
    }
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** 0 while nothing listens. */
function statusOf(url: string): Promise<number> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on('error', () => resolve(0));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

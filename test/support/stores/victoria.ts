/**
 * A real VictoriaMetrics for a test: its own folder and loopback port, gone with all its files when
 * the test ends or dies.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinary } from '../servers/services.ts';

export interface Victoria {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The process's. */
  readonly pid: number;
  /** Ends the process and removes what it made. May be called again. */
  stop(): Promise<void>;
}

export const VICTORIA = 'victoria-metrics';
const READY_WITHIN_MS = 30_000;

/** @param files OpenMetrics, imported first @throws when it does not start or take a file */
export async function startVictoria(files: readonly string[] = []): Promise<Victoria> {
  const home = await mkdtemp(join(tmpdir(), 'prorata-victoria-'));
  const removeHome = (): void => rmSync(home, { recursive: true, force: true });
  process.once('exit', removeHome);
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = launch(url.slice('http://'.length), home);
  const stop = async (): Promise<void> => {
    await end(child);
    process.off('exit', removeHome);
    await rm(home, { recursive: true, force: true });
  };
  try {
    await ready(child, url, home);
    for (const file of files) await importOpenMetrics(url, file);
    await succeed(await fetch(`${url}/internal/force_flush`));
    return { url, pid: child.pid ?? NaN, stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

function launch(address: string, home: string): ChildProcess {
  const tied = findBinary('setpriv') === undefined ? [] : ['setpriv', '--pdeathsig=KILL'];
  const [program, ...first] = [...tied, VICTORIA];
  const flags = [
    `-storageDataPath=${home}`,
    `-httpListenAddr=${address}`,
    '-retentionPeriod=100y',
    '-memory.allowedBytes=256MB',
  ];
  const child = spawn(program, [...first, ...flags], { stdio: 'ignore' });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
  return child;
}

/** In parts: timestamps in seconds become the milliseconds that its importer reads. */
async function importOpenMetrics(url: string, file: string): Promise<void> {
  let part: string[] = [];
  const send = async (): Promise<void> => {
    const body = part.join('');
    part = [];
    await succeed(await fetch(`${url}/api/v1/import/prometheus`, { method: 'POST', body }));
  };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const sample = /^(.*) (\S+)$/.exec(line);
    if (line.startsWith('#') || sample === null) continue;
    part.push(`${sample[1]} ${Math.trunc(Number(sample[2]) * 1000)}\n`);
    if (part.length === 20_000) await send();
  }
  await send();
}

async function succeed(response: Response): Promise<void> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text}`);
}

/** It tells its folder: a port that was free may be another server's by now. */
async function ready(child: ChildProcess, url: string, home: string): Promise<void> {
  const deadlineMs = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const response = await fetch(`${url}/flags`).catch(() => undefined);
    if ((await response?.text().catch(() => ''))?.includes(home)) return;
    if (child.exitCode !== null || Date.now() > deadlineMs)
      throw new Error(`cannot start ${VICTORIA} at ${url}`);
    await sleep(20);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

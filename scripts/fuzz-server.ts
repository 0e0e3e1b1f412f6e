/** The server as users run it, watched: turns of its main thread, and /healthz from another process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startIssuer } from '../test/support/servers/issuer.ts';
import { NOW, TOKEN } from './hostile-bodies.ts';
import { GROUP, PUBLIC_URL, SESSION_KEY, SIGNED_IN } from './hostile-logins.ts';

/** A turn of the event loop that was long. */
export interface Turn {
  /** Processor time. */
  readonly busyMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Health {
  readonly count: number;
  readonly failed: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly mostMs: number | null;
  /** The same of a server beside it that does nothing else. */
  readonly bareP99Ms: number | null;
}

export interface WatchedServer {
  readonly port: number;
  /** Where it may lead browsers. */
  readonly places: readonly string[];
  /** Those of WATCH_MS or more, since the server was ready. */
  readonly turns: Turn[];
  /** What it wrote to its standard error, the end of it. */
  said(): string;
  /** How it ended, while it should not have; undefined: it runs. */
  ended(): string | undefined;
  stop(): Promise<Health>;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const WATCH_MS = 8;
const READY_WITHIN_MS = 120_000;
const SAID_CHARACTERS = 20_000;
/** Chunks are written without a cork for a reason (src/http/uws/front-end.ts). */
const ENGINE_WARNINGS = /^Warning: uWS\.HttpResponse writes .*\n/gm;

/**
 * @param frontEnd `uws` or `node`
 * @param days as many are built before it is ready, and today
 */
export async function startWatched(
  port: number,
  frontEnd: string,
  days: number = 7,
): Promise<WatchedServer> {
  const watch = pathToFileURL(join(ROOT, 'scripts/main-thread-watch.js')).href;
  const flags = [
    '--port',
    String(port),
    '--front-end',
    frontEnd,
    '--now',
    NOW,
    '--retention',
    `${days}d`,
  ];
  const switched = ['--cluster-controller', 'true', '--cost-events-audit', 'true'];
  const folder = mkdtempSync(join(tmpdir(), 'prorata-watched-'));
  const issuer = await startIssuer();
  const access = accessFlags(join(folder, 'key'), issuer.url);
  const args = ['src/prorata.js', 'serve', ...flags, ...switched, ...access];
  const server = spawn(process.execPath, args, {
    cwd: ROOT,
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${watch}`,
      WATCH_FD: '3',
      WATCH_MS: String(WATCH_MS),
      CUSTOM_COST_TOKEN: TOKEN,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const kill = (): boolean => server.kill('SIGKILL');
  process.once('exit', kill);
  let [said, end, isStopping] = ['', '', false];
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text.replace(ENGINE_WARNINGS, '')).slice(-SAID_CHARACTERS);
  });
  server.once('exit', (code, signal) => (end = isStopping ? '' : `${signal ?? `code ${code}`}`));
  const turns: Turn[] = [];
  readTurns(server, turns);
  const url = `http://127.0.0.1:${port}`;
  await ready(url, () => (end === '' ? undefined : `${end}: ${said}`));
  turns.length = 0;
  const poller = spawn(process.execPath, ['scripts/poll-health.js', url], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return {
    port,
    places: [`${issuer.url}/`, `${PUBLIC_URL}/`],
    turns,
    said: () => said,
    ended: () => (end === '' ? undefined : end),
    async stop() {
      const health = await endPoller(poller);
      isStopping = true;
      if (server.exitCode === null && server.signalCode === null) {
        server.kill('SIGTERM');
        await Promise.race([once(server, 'exit'), sleep(10_000)]);
      }
      kill();
      process.off('exit', kill);
      await issuer.stop();
      rmSync(folder, { recursive: true, force: true });
      return health;
    },
  };
}

/** Who asks has a cookie of a browser, so that its ways are fuzzed as well. */
function accessFlags(keyPath: string, issuerUrl: string): string[] {
  writeFileSync(keyPath, SESSION_KEY);
  return [
    '--auth=oidc',
    '--oidc-audience=fuzz',
    `--oidc-issuer=${issuerUrl}`,
    '--oidc-client-id=fuzz',
    `--session-key-file=${keyPath}`,
    `--public-url=${PUBLIC_URL}`,
    `--group-roles=${GROUP}=admin`,
  ];
}

function readTurns(server: ChildProcess, turns: Turn[]): void {
  const pipe = server.stdio[3];
  if (pipe === null || pipe === undefined || !('read' in pipe)) throw new Error('BUG: no pipe');
  createInterface({ input: pipe }).on('line', (line) => turns.push(JSON.parse(line) as Turn));
}

/** All days are built, so that what follows is the requests' own work. */
async function ready(url: string, ended: () => string | undefined): Promise<void> {
  const deadlineMs = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadlineMs) {
    const end = ended();
    if (end !== undefined) throw new Error(`the server ended: ${end}`);
    const state = await fetch(`${url}/readyz?verbose`, {
      headers: SIGNED_IN.map(([name, value]): [string, string] => [name, value]),
    })
      .then((reply) => reply.json() as Promise<{ backfill?: { done: number; total: number } }>)
      .catch(() => undefined);
    const { done = 0, total = 0 } = state?.backfill ?? {};
    if (total > 0 && done === total) return;
    await sleep(200);
  }
  throw new Error(`the server was not ready within ${READY_WITHIN_MS / 1000} s`);
}

async function endPoller(poller: ChildProcess): Promise<Health> {
  let text = '';
  poller.stdout?.setEncoding('utf8').on('data', (part: string) => (text += part));
  poller.stdin?.end();
  await once(poller, 'close');
  return JSON.parse(text) as Health;
}

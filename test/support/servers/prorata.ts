/** The whole server for a test: its own process and loopback port, ended with the test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { COMMAND } from '../command.ts';
import type { Amounts } from '../../../scripts/openb-fleet.ts';

export interface Prorata {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The process's. */
  readonly pid: number;
  /** The last of its log. */
  said(): string;
  /** Rows of the on-demand allocation query, set by set, as the answer has them. */
  allocations(parameters: Readonly<Record<string, string>>): Promise<Allocations[]>;
  /** Ends the process. May be called again. */
  stop(): Promise<void>;
}

export type Allocations = Readonly<Record<string, Amounts>>;

const READY_WITHIN_MS = 90_000;
const ANSWER_WITHIN_MS = 120_000;
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * @param flags such as `--metrics-url` and its value
 * @param wrapper what runs the server, with its arguments; none: nothing
 */
export async function startProrata(
  flags: readonly string[],
  wrapper: readonly string[] = [],
): Promise<Prorata> {
  const own = ['--port', '0', '--refresh', '0'];
  const command = [process.execPath, COMMAND, 'serve', ...own, ...flags];
  const [program = '', ...args] = [...wrapper, ...command];
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let url: string | undefined;
  // Its own word for its port: one that was free before may be another test's by now.
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    url ??= /"url":"([^"]+)"/.exec(said)?.[1];
    if (url !== undefined) said = said.slice(-4000);
  });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
  const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const deadlineMs = Date.now() + READY_WITHIN_MS;
  while (url === undefined || !(await answers(url))) {
    if (!isGone() && Date.now() < deadlineMs) {
      await sleep(50);
      continue;
    }
    kill();
    throw new Error(`cannot start prorata ${flags.join(' ')}:\n${said}`);
  }
  const found = url;
  return {
    url: found,
    pid: child.pid ?? NaN,
    said: () => said,
    async allocations(parameters) {
      try {
        return await allocations(found, parameters);
      } catch (cause) {
        throw new Error(`cannot get allocations; the server said:\n${said}`, { cause });
      }
    },
    async stop() {
      if (isGone()) return;
      const closed = once(child, 'close');
      kill();
      await closed;
    },
  };
}

async function allocations(
  url: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Allocations[]> {
  const query = new URLSearchParams(parameters).toString();
  const response = await fetch(`${url}/model/allocation/compute?${query}`, {
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${query}: ${response.status} ${text}`);
  return (JSON.parse(text) as { data: Allocations[] }).data;
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(`${url}/healthz`).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status === 200;
}

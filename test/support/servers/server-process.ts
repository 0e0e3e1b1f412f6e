/** `prorata serve` in a process of its own, as users start it: the bundle, unless a test compares. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { COMMAND } from '../command.ts';

/** A line of the log. */
export interface Logged {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export interface ServerProcess {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Standard error by lines, as it came so far. */
  readonly lines: readonly string[];
  /** Lines that tell of an error, parsed. */
  readonly errors: readonly Logged[];
  /** Standard error is not read any more, until `hear`. */
  deafen(): void;
  hear(): void;
  /** Resolves when the process has ended, by itself or not, with what `stop` returns. */
  readonly ended: Promise<number | null>;
  /** SIGTERM. May be called again. @returns the exit code, null where the process had to be killed */
  stop(): Promise<number | null>;
}

type Child = ChildProcessByStdio<null, null, Readable>;

export interface ServerOptions {
  /** The command that users start, or the sources, which tests compare it with. */
  readonly runs?: 'bundle' | 'sources';
  /** Another file for Node than `runs` names. */
  readonly command?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The folder that relative paths of flags begin at; default the project's. */
  readonly cwd?: string;
  /** Called with the process's id before it listens. */
  readonly began?: (pid: number) => void;
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const RUNS = {
  bundle: [COMMAND],
  sources: ['--import', 'tsx', join(ROOT, 'src/main.ts')],
} as const;
const READY_WITHIN_MS = 90_000;
/** Beyond what a server gives running answers. */
const STOPPED_WITHIN_MS = 40_000;
const ERROR_LEVEL = 50;

/**
 * @param flags such as `--metrics-url=http://127.0.0.1:9090`
 * @throws what the process said, when it ends before it listens
 */
export async function startServerProcess(
  flags: readonly string[],
  { runs = 'bundle', command, env = {}, cwd = ROOT, began = () => undefined }: ServerOptions = {},
): Promise<ServerProcess> {
  const child = spawn(
    process.execPath,
    [
      ...(command === undefined ? RUNS[runs] : [command]),
      'serve',
      '--port=0',
      '--drain-delay=0',
      ...flags,
    ],
    {
      cwd,
      // Settings of whoever runs the tests are not the test's.
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
  if (child.pid !== undefined) began(child.pid);
  const ended = once(child, 'exit').then(() => child.exitCode);
  const lines: string[] = [];
  const url = await listening(child, lines);
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid ?? NaN,
    lines,
    ended,
    get errors() {
      return lines.flatMap(parsed).filter(({ level }) => level >= ERROR_LEVEL);
    },
    deafen: () => void child.stderr.pause(),
    hear: () => void child.stderr.resume(),
    stop: () => stopped(child),
  };
}

/** @returns the line as it was logged, none where it is not JSON */
export function parsed(line: string): Logged[] {
  try {
    return [JSON.parse(line) as Logged];
  } catch {
    return [];
  }
}

/** Gathers lines of standard error from now on. @returns the address once it is told */
function listening(child: Child, lines: string[]): Promise<string> {
  let rest = '';
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`${why}:\n${[...lines, rest].join('\n')}`));
    };
    const timer = setTimeout(() => fail('the server does not listen'), READY_WITHIN_MS);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const whole = (rest + text).split('\n');
      rest = whole.pop() ?? '';
      lines.push(...whole);
      const told = whole.flatMap(parsed).find(({ msg }) => msg === 'prorata is listening');
      if (told === undefined) return;
      clearTimeout(timer);
      resolve(String(told['url']));
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      fail(`the server ended with ${code}`);
    });
  });
}

async function stopped(child: Child): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS);
  await exited;
  clearTimeout(timer);
  return child.exitCode;
}

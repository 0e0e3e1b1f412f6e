/** Commands of prorata as users run them, each in a process of its own that may be killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Command {
  readonly pid: number;
  /** The exit code, null where it was killed, and the last that it said. */
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;
}

const PROGRAM = fileURLToPath(new URL('../../../src/prorata.js', import.meta.url));

export function startCommand(flags: readonly string[], env: NodeJS.ProcessEnv = {}): Command {
  const child = spawn(process.execPath, [PROGRAM, ...flags], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)));
  const ended = once(child, 'close').then(() => {
    process.off('exit', kill);
    return { code: child.exitCode, said };
  });
  return { pid: child.pid ?? NaN, ended };
}

/** @throws what it said, where it does not end with 0 */
export async function runCommand(flags: readonly string[], env?: NodeJS.ProcessEnv): Promise<void> {
  const { code, said } = await startCommand(flags, env).ended;
  if (code !== 0) throw new Error(`prorata ${flags.join(' ')} ended with ${code}:\n${said}`);
}

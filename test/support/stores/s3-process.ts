/** A scripted S3 in a process of its own (s3-server.ts), which can be killed and started again on its files and port. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export interface S3Process {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

type Child = ChildProcessByStdio<null, Readable, null>;

const SERVER = fileURLToPath(new URL('./s3-server.ts', import.meta.url));

export async function startS3Process(folder: string): Promise<S3Process> {
  let [child, origin] = await launch(folder, '0');
  return {
    get origin() {
      return origin;
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    async start() {
      [child, origin] = await launch(folder, new URL(origin).port);
    },
  };
}

/** @throws where it ends before it listens */
async function launch(folder: string, port: string): Promise<[Child, string]> {
  const command = ['--import', 'tsx', SERVER, folder, port];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const said = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the scripted S3 ended with ${code}`);
  });
  const [origin] = await Promise.race([said, ended]);
  ended.catch(() => undefined);
  return [child, origin];
}

/** A program in its own process, whose time a test moves. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface ProcessFigures {
  readonly rssBytes: number;
  /** The most that it had. */
  readonly highestBytes: number;
  readonly cpuSeconds: number;
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const STOPS_WITHIN_MS = 10_000;
const CLOCK = new URL('driven-clock.js', import.meta.url).href;

export class DrivenProcess {
  readonly #child: ChildProcess;
  #said = '';
  #nowMs: number;
  #nextMs = Infinity;

  /** @param args of Node: the program and its arguments */
  constructor(args: readonly string[], startMs: number, env: NodeJS.ProcessEnv = {}) {
    this.#nowMs = startMs;
    this.#child = spawn(process.execPath, ['--import', CLOCK, ...args], {
      cwd: ROOT,
      env: { ...process.env, ...env, DRIVEN_CLOCK_MS: String(startMs) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Times of which there are none come as Infinity.
      serialization: 'advanced',
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
    const kill = (): boolean => this.#child.kill('SIGKILL');
    process.once('exit', kill);
    this.#child.once('close', () => process.off('exit', kill));
  }

  /** All that it wrote. */
  get said(): string {
    return this.#said;
  }

  /** When it does something next; Infinity: never by itself. */
  get nextMs(): number {
    return this.#nextMs;
  }

  async figures(): Promise<ProcessFigures> {
    return (await this.#ask({ tells: true })) as ProcessFigures;
  }

  /** Sets its time; nothing runs by it. */
  async set(toMs: number): Promise<void> {
    await this.#move(toMs, false);
  }

  /** Sets its time, and waits until all is done that is due by then. */
  async go(toMs: number): Promise<void> {
    await this.#move(toMs, true);
  }

  /** Its call over this connection will never be answered. */
  forget(port: number, localPort: number): void {
    if (this.#child.connected) this.#child.send({ forgotten: { port, localPort } });
  }

  /** Ends it; its time goes on meanwhile. @returns its exit code, null where it had to be killed */
  async stop(): Promise<number | null> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOPS_WITHIN_MS);
    // What it still waits for comes only if its time goes on.
    while (child.connected && child.exitCode === null && child.signalCode === null)
      // After a failure its end has to be heard before it is asked again.
      await this.go(Math.min(this.#nextMs, this.#nowMs + 1000)).catch(() => setImmediate());
    await closed;
    clearTimeout(timer);
    return child.exitCode;
  }

  async #move(toMs: number, runs: boolean): Promise<void> {
    this.#nowMs = Math.max(this.#nowMs, toMs);
    this.#nextMs = (await this.#ask({ toMs, runs })) as number;
  }

  async #ask(what: object): Promise<unknown> {
    const child = this.#child;
    if (!child.connected) throw new Error(`the program has ended: ${this.#said.slice(-2000)}`);
    return await new Promise<unknown>((resolve, reject) => {
      const ended = (): void => reject(new Error(`it ended: ${this.#said.slice(-2000)}`));
      child.once('close', ended);
      child.once('message', (told) => {
        child.off('close', ended);
        resolve(told);
      });
      // A program that is ending may have closed its end: without a callback that is an event nobody awaits.
      child.send(what, (error) => {
        if (error !== null) reject(error);
      });
    });
  }
}

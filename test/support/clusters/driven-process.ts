/** A program in its own process, whose time a test moves. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface DrivenState {
  /** When it does something next; Infinity: never by itself. */
  readonly nextMs: number;
  readonly rssBytes: number;
  readonly cpuSeconds: number;
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CLOCK = new URL('driven-clock.js', import.meta.url).href;

export class DrivenProcess {
  readonly #child: ChildProcess;
  #said = '';
  #state: DrivenState = { nextMs: Infinity, rssBytes: 0, cpuSeconds: 0 };

  /** @param args of Node: the program and its arguments */
  constructor(args: readonly string[], startMs: number, env: NodeJS.ProcessEnv = {}) {
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

  get state(): DrivenState {
    return this.#state;
  }

  /** Sets its time; nothing runs by it. */
  async set(toMs: number): Promise<void> {
    await this.#ask(toMs, false);
  }

  /** Sets its time, and waits until all is done that is due by then. */
  async go(toMs: number): Promise<void> {
    await this.#ask(toMs, true);
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
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    await closed;
    clearTimeout(timer);
    return child.exitCode;
  }

  async #ask(toMs: number, runs: boolean): Promise<void> {
    const child = this.#child;
    if (!child.connected) throw new Error(`the program has ended: ${this.#said.slice(-2000)}`);
    const answer = new Promise<DrivenState>((resolve, reject) => {
      const ended = (): void => reject(new Error(`it ended: ${this.#said.slice(-2000)}`));
      child.once('close', ended);
      child.once('message', (state: DrivenState) => {
        child.off('close', ended);
        resolve(state);
      });
    });
    child.send({ toMs, runs });
    this.#state = await answer;
  }
}

/** A server that is killed and comes back, as Kubernetes brings a container back: at once, and a second after it ended by itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startServerProcess, type ServerProcess } from '../../../test/support/servers/server-process.ts'; // prettier-ignore

const AGAIN_MS = 1000;
const TOLD = 200;

export class Restarting {
  readonly name: string;
  /** How often it was killed. */
  kills = 0;
  /** How often it began. */
  lives = 0;
  /** Why it ended where nobody killed it; while it starts that is what an orchestrator waits for. */
  readonly ends: string[] = [];
  readonly failedStarts: string[] = [];
  /** Milliseconds from each kill to when it listened again. */
  readonly backMs: number[] = [];
  /** What it logged, by line without digits, at the levels of errors. */
  readonly errors: Map<string, number> = new Map();
  built = 0;
  #server: ServerProcess | undefined;
  #pid: number | undefined;
  #isEnding = false;
  #running: Promise<void>;
  readonly #flagsOf: (life: number) => readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  #killedMs: number | undefined;

  /** @param flagsOf its flags, which may be others each time */
  constructor(name: string, flagsOf: (life: number) => readonly string[], env: NodeJS.ProcessEnv) {
    this.name = name;
    this.#flagsOf = flagsOf;
    this.#env = env;
    this.#running = this.#run();
  }

  /** Undefined while it is not there. */
  get url(): string | undefined {
    return this.#server?.url;
  }

  kill(): void {
    if (this.#pid === undefined) return;
    this.kills++;
    this.#killedMs = performance.now();
    this.#server = undefined;
    const pid = this.#pid;
    this.#pid = undefined;
    process.kill(pid, 'SIGKILL');
  }

  /** By SIGTERM. @returns its exit code */
  async stop(): Promise<number | null | undefined> {
    this.#isEnding = true;
    const code = await this.#server?.stop();
    await this.#running;
    return code;
  }

  async #run(): Promise<void> {
    while (!this.#isEnding) {
      const life = this.lives++;
      const began = (pid: number): void => void (this.#pid = pid);
      const server = await startServerProcess(this.#flagsOf(life), { env: this.#env, began }).catch(
        (error: unknown) => this.#failed(error),
      );
      if (server === undefined) {
        await sleep(AGAIN_MS);
        continue;
      }
      if (this.#killedMs !== undefined) this.backMs.push(performance.now() - this.#killedMs);
      this.#killedMs = undefined;
      // It may have been killed within the last moment.
      if (this.#pid !== undefined) this.#server = server;
      const code = await server.ended;
      const isKilled = this.#pid === undefined;
      this.#server = undefined;
      this.#pid = undefined;
      this.#tell(server);
      if (isKilled || this.#isEnding) continue;
      this.ends.push(
        `${this.name} ended by itself with ${code}: ${server.lines.slice(-3).join('\n')}`,
      );
      await sleep(AGAIN_MS);
    }
  }

  #failed(error: unknown): undefined {
    if (this.#pid !== undefined) this.failedStarts.push(String(error).slice(-600));
    this.#pid = undefined;
  }

  #tell(server: ServerProcess): void {
    this.built += server.lines.filter((line) => line.includes('"msg":"built"')).length;
    for (const { msg, error = '', err } of server.errors) {
      const why = typeof err === 'object' && err !== null && 'message' in err ? err.message : error;
      const kind = `${msg}: ${String(why)}`.replaceAll(/\d+/g, '#').slice(0, TOLD);
      this.errors.set(kind, (this.errors.get(kind) ?? 0) + 1);
    }
  }
}

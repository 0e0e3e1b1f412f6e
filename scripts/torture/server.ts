/** The server as users run it, in a process of its own, and what is seen of it from outside. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface ServerFlags {
  readonly workers: number;
  readonly frontEnd: 'uws' | 'node';
  /** Absent: the server's own choice. */
  readonly memoryLimit?: string | undefined;
  readonly store: Place;
  /** Checks the arena at every step. */
  readonly isChecked: boolean;
  /** Builds days of the demo beside its answers, as long as it runs. */
  readonly isBuilding: boolean;
}

/** A data folder, and what it is called in reports. */
export interface Place {
  readonly name: string;
  readonly dataDir: string;
}

/** Resident bytes over a server's life. */
export interface Resident {
  readonly first: number;
  readonly last: number;
  readonly max: number;
  /** Maxima of the first and the last third of the time. */
  readonly early: number;
  readonly late: number;
}

const READY_WITHIN_MS = 120_000;
const ENDS_WITHIN_MS = 20_000;
const SAMPLE_MS = 200;
/** Says of itself what must not happen. */
const FAULT =
  /BUG:|memory access out of bounds|RuntimeError|FATAL ERROR|CALL_AND_RETRY|Segmentation|heap out of memory/;
const KEPT_LINES = 40;
const LINE_CHARACTERS_MAX = 400;
/** Now, for the stored days and the demo alike. */
export const NOW = '2024-07-01T00:00:00Z';

/** How a server's process is called in reports. */
export function nameOf(flags: ServerFlags): string {
  const { workers, frontEnd, memoryLimit, store, isChecked, isBuilding } = flags;
  const states = `${isChecked ? ', checked' : ''}${isBuilding ? ', building' : ''}`;
  return `${store.name}, ${workers} workers, ${frontEnd}, ${memoryLimit ?? 'default memory'}${states}`;
}

/** Whether the server of that tree can check its memory at every step. Builds its bundle. */
export function isCheckable(tree: string): boolean {
  const command = [join(tree, 'src/prorata.js'), 'serve', '--help'];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${tree}: ${stderr}`);
  return stdout.includes('--check-memory');
}

export class Server {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** What it said or did that must not happen. */
  readonly faults: string[] = [];
  /** What it logged as errors, and how often. */
  readonly errors: Map<string, number> = new Map();
  /** The last lines it wrote. */
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #rss: number[] = [];
  readonly #sampling: NodeJS.Timeout;
  #isStopping = false;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
    this.#sampling = setInterval(() => this.#sample(), SAMPLE_MS).unref();
    child.once('exit', (code, signal) => {
      if (!this.#isStopping) this.faults.push(`the process ended: code ${code}, signal ${signal}`);
    });
    this.#sample();
  }

  /** @param tree the folder of the sources whose bundle runs @throws where it does not start */
  static async start(tree: string, flags: ServerFlags): Promise<Server> {
    const child = spawn(process.execPath, [join(tree, 'src/prorata.js'), 'serve', ...argv(flags)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    const lines: string[] = [];
    const hear: { to: (line: string) => void } = { to: (line) => lines.push(line) };
    const url = await new Promise<string>((resolve, reject) => {
      const fail = (why: string): void => {
        kill();
        reject(new Error(`${nameOf(flags)}: ${why}\n${lines.join('\n')}`));
      };
      const timer = setTimeout(() => fail('not ready in time'), READY_WITHIN_MS);
      const onLine = (line: string): void => {
        hear.to(line);
        const found = /"url":"(http:[^"]+)".*is listening/.exec(line)?.[1];
        if (found === undefined) return;
        clearTimeout(timer);
        resolve(found);
      };
      for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream }).on('line', onLine);
      child.once('exit', (code) => {
        clearTimeout(timer);
        fail(`ended with ${code}`);
      });
    });
    const server = new Server(child, url);
    hear.to = (line) => server.#hear(line);
    for (const line of lines) server.#hear(line);
    return server;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Ends the process; one that does not end when it is asked to is a fault. */
  async stop(): Promise<void> {
    clearInterval(this.#sampling);
    if (!this.isAlive) return;
    this.#sample();
    this.#isStopping = true;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => {
      this.faults.push(`the process does not end ${ENDS_WITHIN_MS} ms after SIGTERM`);
      this.#child.kill('SIGKILL');
    }, ENDS_WITHIN_MS);
    await ended;
    clearTimeout(timer);
  }

  resident(): Resident {
    const third = Math.ceil(this.#rss.length / 3);
    return {
      first: this.#rss[0] ?? 0,
      last: this.#rss.at(-1) ?? 0,
      max: Math.max(0, ...this.#rss),
      early: Math.max(0, ...this.#rss.slice(0, third)),
      late: Math.max(0, ...this.#rss.slice(-third)),
    };
  }

  #hear(line: string): void {
    const error = /"level":50,.*?"message":"(.*?)"(?:,.*"msg":"(.*?)")?/.exec(line);
    if (error !== null) {
      const kind = `${error[2] ?? ''}: ${error[1]}`.replaceAll(/\d[\d.,]*/g, '#').slice(0, 200);
      this.errors.set(kind, (this.errors.get(kind) ?? 0) + 1);
    }
    if (FAULT.test(line)) this.faults.push(shortened(line));
    this.lines.push(shortened(line));
    if (this.lines.length > KEPT_LINES) this.lines.shift();
  }

  #sample(): void {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
      const kilobytes = /VmRSS:\s+(\d+) kB/.exec(status)?.[1];
      if (kilobytes !== undefined) this.#rss.push(1024 * Number(kilobytes));
    } catch {
      // It is gone.
    }
  }
}

function argv(flags: ServerFlags): string[] {
  const { workers, frontEnd, memoryLimit, store, isChecked, isBuilding } = flags;
  return [
    '--port=0',
    '--timezone=UTC',
    `--now=${NOW}`,
    `--workers=${workers}`,
    `--front-end=${frontEnd}`,
    ...(memoryLimit === undefined ? [] : [`--memory-limit=${memoryLimit}`]),
    `--data-dir=${store.dataDir}`,
    ...(isChecked ? ['--check-memory=true'] : []),
    ...(isBuilding ? [] : ['--refresh=0']),
  ];
}

/** The stack of an error is told to its first lines. */
function shortened(line: string): string {
  return line.slice(0, LINE_CHARACTERS_MAX);
}

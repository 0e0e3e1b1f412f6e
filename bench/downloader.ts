/**
 * A process that downloads and throws away: what it takes to get bytes, without doing anything with
 * them, and without the benchmark's own process in the way.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Download, Downloaded, Downloads } from './download.ts';

/** As many as src/metrics/readers/remote-read.ts reads at once. */
const AT_ONCE = 4;

export class Downloader {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(fileURLToPath(new URL('./download.ts', import.meta.url)), {
      execArgv: ['--import', 'tsx'],
      serialization: 'advanced',
    });
  }

  get pid(): number {
    return this.#child.pid ?? NaN;
  }

  /** All of `downloads`, some at once. @returns bytes of the bodies; throws what went wrong */
  async run(downloads: readonly Download[], atOnce: number = AT_ONCE): Promise<number> {
    this.#child.send({ downloads, atOnce } satisfies Downloads);
    const [answer] = (await once(this.#child, 'message')) as [Downloaded];
    if ('error' in answer) throw new Error(`cannot download: ${answer.error}`);
    return answer.bytes;
  }

  /** All of `downloads`, each when the one before it is over, as a plain client does it. */
  async runInTurn(downloads: readonly Download[]): Promise<number> {
    let bytes = 0;
    for (const each of downloads) bytes += await this.run([each]);
    return bytes;
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}

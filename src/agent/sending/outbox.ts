/** Takes samples of all parts of the agent, and makes batches of them. */
import { snappy } from '../../metrics/index.ts';
import type { Sample } from '../series.ts';
import type { BatchQueue } from './batch-queue.ts';
import { SymbolsRequest } from './symbols-request.ts';

const SAMPLES_MAX = 2000;
/** Receivers take more; it bounds what a batch with long labels takes of memory. */
const BYTES_MAX = 2 * 1024 * 1024;

export class Outbox {
  readonly #queue: BatchQueue;
  readonly #request: SymbolsRequest;
  readonly #waitMs: number;
  #timer: NodeJS.Timeout | undefined;
  #takenSamples = 0;
  /** Batches are appended one after another. */
  #appending: Promise<void> = Promise.resolve();

  /**
   * @param labels put into all series that lack them
   * @param waitMs how long a batch that is not full waits for more
   */
  constructor(queue: BatchQueue, labels: Readonly<Record<string, string>>, waitMs: number) {
    this.#queue = queue;
    this.#waitMs = waitMs;
    const added = Object.entries(labels)
      .map(([name, value]) => ({ name: Buffer.from(name), value: Buffer.from(value) }))
      .sort((one, other) => Buffer.compare(one.name, other.name));
    this.#request = new SymbolsRequest(added);
  }

  get takenSamples(): number {
    return this.#takenSamples;
  }

  /** Labels are copied as they are taken. Ends when no full batch waits to be stored. */
  async take(samples: Iterable<Sample>): Promise<void> {
    for (const sample of samples) {
      this.#request.add(sample);
      this.#takenSamples++;
      if (this.#request.samples >= SAMPLES_MAX || this.#request.bytes >= BYTES_MAX) {
        await this.flush();
      }
    }
    if (this.#request.samples > 0)
      this.#timer ??= setTimeout(() => void this.flush(), this.#waitMs);
  }

  /** Stores what was taken so far. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { samples } = this.#request;
    if (samples > 0) {
      const body = Buffer.from(snappy(this.#request.take()));
      this.#appending = this.#appending.then(() => this.#queue.append(body, samples));
    }
    await this.#appending;
  }
}

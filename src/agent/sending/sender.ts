/**
 * Sends batches, one at a time and in order. A batch is removed once the receiver acknowledged it or
 * refused it for good; until then it is tried again, with growing pauses.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { snappy, unsnappy } from '../../metrics/index.ts';
import type { Batch, BatchQueue, QueueLog } from './batch-queue.ts';
import { plainRequest } from './plain-request.ts';
import type { ReceiverClient, WriteResult, WriteVersion } from './receiver-client.ts';

export interface SenderOptions {
  readonly queue: BatchQueue;
  readonly client: ReceiverClient;
  /** `auto` begins with 2.0, and goes on with 1.0 where the receiver does not take that. */
  readonly version: WriteVersion | 'auto';
  readonly log: QueueLog;
  readonly random?: () => number;
}

export interface SenderFigures {
  readonly version: WriteVersion;
  readonly sentBatches: number;
  readonly sentSamples: number;
  readonly refusedSamples: number;
  readonly failedTries: number;
  /** Whether the last try failed. */
  readonly isFailing: boolean;
}

const FIRST_PAUSE_MS = 250;
const PAUSE_MS_MAX = 30_000;

export class Sender {
  readonly #queue: BatchQueue;
  readonly #client: ReceiverClient;
  readonly #log: QueueLog;
  readonly #random: () => number;
  readonly #isAuto: boolean;
  readonly #stop = new AbortController();
  readonly #sending: Promise<void>;
  #version: WriteVersion;
  #sentBatches = 0;
  #sentSamples = 0;
  #refusedSamples = 0;
  #failedTries = 0;
  #failures = 0;
  #refusal = '';

  constructor({ queue, client, version, log, random = Math.random }: SenderOptions) {
    this.#queue = queue;
    this.#client = client;
    this.#log = log;
    this.#random = random;
    this.#isAuto = version === 'auto';
    this.#version = version === 'auto' ? '2.0' : version;
    this.#sending = this.#run();
  }

  figures(): SenderFigures {
    return {
      version: this.#version,
      sentBatches: this.#sentBatches,
      sentSamples: this.#sentSamples,
      refusedSamples: this.#refusedSamples,
      failedTries: this.#failedTries,
      isFailing: this.#failures > 0,
    };
  }

  /** Lets what waits be sent for so long, if the receiver answers; then the call under way is given up. */
  async close(graceMs: number): Promise<void> {
    const untilMs = performance.now() + graceMs;
    const isSending = (): boolean => this.#failures === 0 && this.#queue.figures().batches > 0;
    while (isSending() && performance.now() < untilMs) await sleep(CLOSE_LOOK_MS);
    this.#stop.abort(new Error('the agent stops'));
    await this.#sending;
    this.#client.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#queue.whenFilled(signal);
      const batch = await this.#queue.first();
      if (batch === undefined || signal.aborted) continue;
      try {
        await this.#send(batch, signal);
      } catch (error) {
        if (signal.aborted) return;
        await this.#failed(batch, String(error), 0, signal);
      }
    }
  }

  async #send(batch: Batch, signal: AbortSignal): Promise<void> {
    const result = await this.#client.write(this.#bodyOf(batch), this.#version, signal);
    await this.#take(batch, result, signal);
  }

  async #take(batch: Batch, result: WriteResult, signal: AbortSignal): Promise<void> {
    switch (result.kind) {
      case 'stored':
        await this.#queue.remove(batch);
        this.#sentBatches++;
        this.#sentSamples += batch.samples;
        this.#refusal = '';
        return this.#succeeded();
      case 'refused':
        await this.#queue.remove(batch);
        this.#refused(batch, result.reason);
        return this.#succeeded();
      case 'version':
        if (!this.#isAuto) {
          await this.#queue.remove(batch);
          return this.#refused(batch, `${result.reason} to remote write 2.0`);
        }
        this.#version = '1.0';
        this.#log.info({ receiver: this.#client.name }, 'the receiver takes remote write 1.0');
        return;
      case 'later':
        await this.#failed(batch, result.reason, result.retryAfterMs, signal);
    }
  }

  #bodyOf({ body }: Batch): Buffer {
    if (this.#version === '2.0') return body;
    return Buffer.from(snappy(plainRequest(Buffer.from(unsnappy(body, MESSAGE_BYTES_MAX)))));
  }

  #succeeded(): void {
    if (this.#failures > 0) {
      this.#log.info({ tries: this.#failures }, `batches are sent again to ${this.#client.name}`);
    }
    this.#failures = 0;
  }

  #refused({ samples }: Batch, reason: string): void {
    this.#refusedSamples += samples;
    if (reason === this.#refusal) return;
    this.#refusal = reason;
    const message = `${this.#client.name} refused a batch, which is dropped: ${reason}`;
    this.#log.warn({ samples }, message);
  }

  async #failed(
    { samples }: Batch,
    reason: string,
    retryAfterMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    this.#failedTries++;
    if (this.#failures++ === 0) {
      const message = `cannot send to ${this.#client.name}, batches wait: ${reason}`;
      this.#log.warn({ samples }, message);
    }
    const backoffMs = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    const pauseMs = Math.max(backoffMs * (1 - this.#random() / 2), retryAfterMs);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

const CLOSE_LOOK_MS = 20;
/** Twice what a batch has. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

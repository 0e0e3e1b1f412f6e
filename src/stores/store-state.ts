/** What is known of one of several stores: how its reads went, for health and messages. */
import type { Batch } from '../metrics/index.ts';

export class StoreState {
  reads = 0;
  errors = 0;
  bytes = 0;
  underWay = 0;
  #lastOkMs: number | undefined;
  #lastError: { readonly reason: string; readonly atMs: number } | undefined;

  /** Undefined before the first read ended. */
  get isUp(): boolean | undefined {
    if (this.#lastOkMs === undefined) return this.#lastError === undefined ? undefined : false;
    return this.#lastOkMs >= (this.#lastError?.atMs ?? -Infinity);
  }

  /** Why the newest read failed that failed. */
  get lastError(): { readonly reason: string; readonly atMs: number } | undefined {
    return this.#lastError;
  }

  succeeded(): void {
    this.#lastOkMs = Date.now();
  }

  failed(error: unknown): void {
    this.errors++;
    const reason = error instanceof Error ? error.message : String(error);
    this.#lastError = { reason, atMs: Date.now() };
  }

  /** The same batches, counted. A read that was given up is no failure. */
  async *counted(
    read: () => AsyncIterable<Batch>,
    signal: AbortSignal,
  ): AsyncGenerator<Batch, void> {
    this.reads++;
    this.underWay++;
    try {
      for await (const batch of read()) {
        this.bytes += batch.bytes.length;
        yield batch;
      }
      this.succeeded();
    } catch (error) {
      if (!signal.aborted) this.failed(error);
      throw error;
    } finally {
      this.underWay--;
    }
  }
}

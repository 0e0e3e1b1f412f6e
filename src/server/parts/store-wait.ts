/**
 * A server that begins while its store is away: it waits, and whoever asks is told so. The cause is in the log, as
 * nobody is known yet who may see it.
 *
 *   /healthz    200: to start the process anew would not help
 *   others      503 with `Retry-After`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { errorReply, json, type HttpHandler, type HttpServer } from '../../http/index.ts';
import { isPassing, Unavailable } from '../../query/index.ts';
import type { ServerLogger } from '../../terminal/log.ts';

/** Opens what is in the store. `open` is called again where it failed for now. */
export type Opening = <Result>(open: () => Promise<Result>) => Promise<Result>;

/** Who does not wait: what fails once has failed. */
export const OPENED_ONCE: Opening = (open) => open();

/** How what is in the store is opened, and who is told of it. */
export interface StoreSurroundings {
  readonly opening: Opening;
  readonly note: (sentence: string) => void;
}

export interface StoreWaitOptions {
  /** Starts a server that answers with `handler`. */
  readonly listen: (handler: HttpHandler) => Promise<HttpServer>;
  readonly log: ServerLogger;
  /** Milliseconds from a failure to the next try. */
  readonly againMs?: number;
}

const AGAIN_MS = 2000;
/** The same failure is logged again after so long. */
const TOLD_MS = 60_000;
const NO_GRACE_MS = 0;
/** Names that are new each time, such as those of probes. */
const RANDOM = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

export class StoreWait {
  readonly #options: StoreWaitOptions;
  #server: HttpServer | undefined;
  #told = { sentence: '', atMs: -Infinity };

  constructor(options: StoreWaitOptions) {
    this.#options = options;
  }

  /** @throws what cannot pass by itself, such as a refused login */
  readonly opening: Opening = async (open) => {
    const { listen, againMs = AGAIN_MS } = this.#options;
    for (;;) {
      try {
        return await open();
      } catch (error) {
        if (!isPassing(error)) throw error;
        this.#tell(error);
        this.#server ??= await listen(answerMeanwhile);
        await sleep(againMs);
      }
    }
  };

  /** Leaves the address to others. */
  async close(): Promise<void> {
    await this.#server?.close(NO_GRACE_MS);
    this.#server = undefined;
  }

  #tell(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    const sentence = why.replaceAll(RANDOM, '');
    const nowMs = performance.now();
    if (sentence === this.#told.sentence && nowMs - this.#told.atMs < TOLD_MS) return;
    this.#told = { sentence, atMs: nowMs };
    this.#options.log.warn(
      { why },
      'the store does not answer: until it does, requests are answered with 503',
    );
  }
}

const answerMeanwhile: HttpHandler = ({ path }) => {
  if (path === '/healthz') return json({ status: 'ok' });
  const error = new Unavailable('the store of this server does not answer', {
    hint: 'the server waits for it; its log says why',
    retryAfterSeconds: AGAIN_MS / 1000,
  });
  const reply = errorReply(error, () => undefined);
  if (path !== '/readyz') return reply;
  return { ...reply, body: JSON.stringify({ ready: false, reason: error.message }) };
};

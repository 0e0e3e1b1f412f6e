/** Chooses the reader for a store: the fastest that the store supports. */
import { Deadline } from './client/deadline.ts';
import { createQueryRange, queryCall } from './readers/query-range.ts';
import { createRemoteRead, probeRemoteRead } from './readers/remote-read.ts';
import type { Batch, MetricsSource, ReadTogether, Selection, TimeRange } from './source.ts';
import { StoreClient } from './client/store-client.ts';
import { StoreFailure } from './client/store-failure.ts';
import type { StoreOptions } from './client/store-options.ts';
import { createVictoriaExport, exportCall } from './readers/victoria-export.ts';

/** A reader by name. */
export type ReaderName = 'remote-read' | 'victoria-export' | 'query-range';

export interface OpenStoreOptions extends StoreOptions {
  /** `auto` probes the store. */
  readonly reader: ReaderName | 'auto';
}

export interface OpenStore extends MetricsSource {
  /** The reader in use; probes the store if needed. @throws {Unavailable} when no reader works */
  chosen(signal: AbortSignal): Promise<ReaderName>;
  /** By how much the store's clock is ahead of ours, by the second; undefined where it does not tell. */
  clockAheadMs(signal: AbortSignal): Promise<number | undefined>;
  /** Closes idle connections and aborts running reads. */
  close(): Promise<void>;
}

type Reader = MetricsSource & { close(): Promise<void> };

const READERS: Readonly<Record<ReaderName, (options: StoreOptions) => Reader>> = {
  'remote-read': createRemoteRead,
  'victoria-export': createVictoriaExport,
  'query-range': createQueryRange,
};

const CONCURRENT_READS = 4;

/** A series that no store has, at a time without samples. */
const NO_SERIES: Selection = { metric: 'prorata_probe', matchers: [] };
const LONG_AGO: TimeRange = { startMs: 1000, endMs: 2000 };

/**
 * A store may be down when it is opened: it is probed by the first read, and again by the next ones until
 * it answers.
 * @throws {Fault} when `options.url` is not a store's address
 */
export function openStore(options: OpenStoreOptions): OpenStore {
  const store = new ChosenStore(options);
  return {
    get name() {
      return store.name;
    },
    get readerName() {
      return store.readerName;
    },
    concurrentReads: options.concurrentReads ?? CONCURRENT_READS,
    chosen: (signal) => store.choose(signal),
    earliestSampleMs: (signal) => store.earliestSampleMs(signal),
    clockAheadMs: (signal) => store.clockAheadMs(signal),
    close: () => store.close(),
    together: (signal) => store.together(signal),
    read: (...args) => store.read(...args),
  };
}

class ChosenStore {
  readonly #options: OpenStoreOptions;
  readonly #client: StoreClient;
  #reader: Reader | undefined;
  #choice: ReaderName | undefined;
  #asking: Promise<ReaderName> | undefined;

  constructor(options: OpenStoreOptions) {
    this.#options = options;
    this.#client = new StoreClient({ product: 'metrics store', ...options });
    if (options.reader !== 'auto') this.#take(options.reader);
  }

  get name(): string {
    return this.#reader?.name ?? this.#client.name;
  }

  get readerName(): ReaderName | 'none' {
    return this.#choice ?? 'none';
  }

  async choose(signal: AbortSignal): Promise<ReaderName> {
    signal.throwIfAborted();
    if (this.#choice !== undefined) return this.#choice;
    // Concurrent callers share one probe, which has its own limits and ignores their signals.
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return await unlessAborted(this.#asking, signal);
  }

  async *read(...args: Parameters<MetricsSource['read']>): AsyncGenerator<Batch, void> {
    await this.choose(args[2]);
    if (this.#reader === undefined) throw new Error('BUG: a choice without a reader');
    yield* this.#reader.read(...args);
  }

  async together(signal: AbortSignal): Promise<ReadTogether | undefined> {
    await this.choose(signal);
    return await this.#reader?.together?.(signal);
  }

  async earliestSampleMs(signal: AbortSignal): Promise<number | undefined> {
    await this.choose(signal);
    return await this.#reader?.earliestSampleMs?.(signal);
  }

  async clockAheadMs(signal: AbortSignal): Promise<number | undefined> {
    const deadline = new Deadline(this.#options, signal);
    try {
      const beganMs = Date.now();
      const answer = await this.#client.open(queryCall('vector(1)', beganMs), deadline);
      answer.body.discard();
      const theirs = Date.parse(answer.header('date'));
      // The header is of the second that the answer was made in.
      return Number.isNaN(theirs) ? undefined : theirs + 500 - (beganMs + Date.now()) / 2;
    } finally {
      deadline.end();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#reader?.close()]);
  }

  #take(choice: ReaderName): ReaderName {
    const options = { concurrentReads: CONCURRENT_READS, ...this.#options };
    this.#reader ??= READERS[choice](options);
    this.#choice = choice;
    return choice;
  }

  async #ask(): Promise<ReaderName> {
    const deadline = new Deadline(this.#options, new AbortController().signal);
    try {
      return this.#take(await probe(this.#client, deadline));
    } finally {
      deadline.end();
    }
  }
}

/** The last request must succeed: its failure is the error of the store. */
async function probe(client: StoreClient, deadline: Deadline): Promise<ReaderName> {
  if (await offers(() => probeRemoteRead(client, NO_SERIES, LONG_AGO, deadline)))
    return 'remote-read';
  if (await offers(() => client.text(exportCall(NO_SERIES, LONG_AGO), deadline)))
    return 'victoria-export';
  await client.text(queryCall('vector(1)', LONG_AGO.endMs), deadline);
  return 'query-range';
}

/** False if the store refuses. @throws when it is down or busy */
async function offers(request: () => Promise<unknown>): Promise<boolean> {
  try {
    await request();
    return true;
  } catch (error) {
    if (error instanceof StoreFailure && (error.status === 502 || error.answered === 501))
      return false;
    throw error;
  }
}

/** @throws the signal's reason when it aborts first */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

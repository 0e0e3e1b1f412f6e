/** Chooses the reader that suits a store: the fastest it answers to, asked once. */
import { Deadline } from './deadline.ts';
import { createQueryRange, queryCall } from './query-range.ts';
import { createRemoteRead, probeRemoteRead } from './remote-read.ts';
import type { Batch, MetricsSource, ReadTogether, Selection, TimeRange } from './source.ts';
import { StoreClient } from './store-client.ts';
import { StoreFailure } from './store-failure.ts';
import type { StoreOptions } from './store-options.ts';
import { createVictoriaExport, exportCall } from './victoria-export.ts';

/** A reader by name. */
export type ReaderName = 'remote-read' | 'victoria-export' | 'query-range';

export interface OpenStoreOptions extends StoreOptions {
  /** `auto` asks the store. */
  readonly reader: ReaderName | 'auto';
}

export interface OpenStore extends MetricsSource {
  /** The reader in use; asks the store if it must. @throws {Unavailable} when none serves */
  chosen(signal: AbortSignal): Promise<ReaderName>;
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

/** A series that no store has, at a time of which none has samples. */
const NOBODY: Selection = { metric: 'prorata_probe', matchers: [] };
const LONG_AGO: TimeRange = { startMs: 1000, endMs: 2000 };

/**
 * A store may be down when it is opened: it is asked with the first read, and again with the next
 * one while it does not answer.
 * @throws {Fault} when `options.url` is not a store's address
 */
export function openStore(options: OpenStoreOptions): OpenStore {
  const store = new ChosenStore(options);
  return {
    get name() {
      return store.name;
    },
    concurrentReads: CONCURRENT_READS,
    chosen: (signal) => store.choose(signal),
    earliestSampleMs: (signal) => store.earliestSampleMs(signal),
    close: () => store.close(),
    together: (signal) => store.together(signal),
    read: (...question) => store.read(...question),
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

  async choose(signal: AbortSignal): Promise<ReaderName> {
    signal.throwIfAborted();
    if (this.#choice !== undefined) return this.#choice;
    // One question serves all who ask meanwhile; its own limits end it, not one caller's signal.
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return await unlessAborted(this.#asking, signal);
  }

  async *read(...question: Parameters<MetricsSource['read']>): AsyncGenerator<Batch, void> {
    await this.choose(question[2]);
    if (this.#reader === undefined) throw new Error('BUG: a choice without a reader');
    yield* this.#reader.read(...question);
  }

  async together(signal: AbortSignal): Promise<ReadTogether | undefined> {
    await this.choose(signal);
    return await this.#reader?.together?.(signal);
  }

  async earliestSampleMs(signal: AbortSignal): Promise<number | undefined> {
    await this.choose(signal);
    return await this.#reader?.earliestSampleMs?.(signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#reader?.close()]);
  }

  #take(choice: ReaderName): ReaderName {
    const options = { ...this.#options, concurrentReads: CONCURRENT_READS };
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

/** The last question must be answered: what fails there is what is wrong with the store. */
async function probe(client: StoreClient, deadline: Deadline): Promise<ReaderName> {
  if (await offers(() => probeRemoteRead(client, NOBODY, LONG_AGO, deadline))) return 'remote-read';
  if (await offers(() => client.text(exportCall(NOBODY, LONG_AGO), deadline)))
    return 'victoria-export';
  await client.text(queryCall('vector(1)', LONG_AGO.endMs), deadline);
  return 'query-range';
}

/** False where the store refuses; one that is down or busy is not judged by that. */
async function offers(question: () => Promise<unknown>): Promise<boolean> {
  try {
    await question();
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

/**
 * Reads raw samples from anything that speaks PromQL: instant queries on range selectors
 * (`metric{…}[7200000ms]` at a time), slice by slice of time
 * (https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries). End markers do not
 * come this way: PromQL hides them.
 */
import { Deadline } from './deadline.ts';
import type { HttpCall } from './http-call.ts';
import { BrokenJson, JsonScan } from './json-scan.ts';
import { bodyFailure, readInTurn, readPatiently, type Reading } from './patient-read.ts';
import { selectorText } from './promql.ts';
import { emptyNotes, rangeVectors, type AnswerNotes } from './range-vectors.ts';
import { SeriesBatches } from './series-batches.ts';
import { SeriesTails } from './series-tails.ts';
import { SliceLengths, type SliceAnswer } from './slice-lengths.ts';
import { Slots } from './slots.ts';
import type { Batch, MetricsSource, OnWarning, TimeRange } from './source.ts';
import { StoreClient } from './store-client.ts';
import { errorFailure, StoreFailure } from './store-failure.ts';
import type { StoreOptions } from './store-options.ts';

export interface QueryRangeOptions extends StoreOptions {
  /** Longest slice. Default six hours, which is also the most. */
  readonly sliceMs?: number;
}

export interface QueryRange extends MetricsSource {
  /** Closes idle connections and aborts running reads. */
  close(): Promise<void>;
}

/**
 * A read fails with `Unavailable`, naming the store and what happened, unless the caller's signal
 * ended it: then with that signal's reason. A slice is asked for at most three times.
 * @throws {Fault} when `options.url` is not a store's address
 */
export function createQueryRange(options: QueryRangeOptions): QueryRange {
  const client = new StoreClient(options);
  const concurrentReads = options.concurrentReads ?? 4;
  const slots = new Slots(concurrentReads);
  return {
    name: client.name,
    concurrentReads,
    close: () => client.close(),
    read: (selection, range, signal, onWarning) => {
      const deadline = new Deadline(options, signal);
      const reading: Reading = { name: client.name, slots, deadline };
      const sliced = new SlicedRead(client, deadline, selectorText(selection), onWarning);
      return readInTurn(reading, () => sliced.run(range, new SliceLengths(options.sliceMs)));
    },
  };
}

/** One read: slices (from, to] in order of time, each asked for until it came whole. */
class SlicedRead {
  readonly #client: StoreClient;
  readonly #deadline: Deadline;
  readonly #selector: string;
  readonly #onWarning: OnWarning | undefined;
  readonly #batches: SeriesBatches = new SeriesBatches();
  readonly #tails: SeriesTails = new SeriesTails(this.#batches);
  /** In the last slice. */
  #came: SliceAnswer = { points: 0, seriesPoints: 0 };

  constructor(
    client: StoreClient,
    deadline: Deadline,
    selector: string,
    onWarning: OnWarning | undefined,
  ) {
    this.#client = client;
    this.#deadline = deadline;
    this.#selector = selector;
    this.#onWarning = onWarning;
  }

  async *run(range: TimeRange, lengths: SliceLengths): AsyncGenerator<Batch, void> {
    const endMs = Math.ceil(range.endMs);
    for (let fromMs = Math.floor(range.startMs) - 1; fromMs < endMs;) {
      const toMs = Math.min(endMs, fromMs + lengths.nextMs);
      const lengthMs = toMs - fromMs;
      try {
        yield* this.#slice(fromMs, toMs);
      } catch (error) {
        if (!(error instanceof StoreFailure) || !error.isTooMuch) throw error;
        if (!lengths.refused(lengthMs)) throw this.#tooMuch(error, lengthMs);
        continue;
      }
      lengths.answered(lengthMs, this.#came);
      this.#tails.endSlice(toMs);
      fromMs = toMs;
    }
    this.#tails.endRead();
    yield* batchesOf(this.#batches.takeAll());
  }

  /** What an attempt handed out before it failed, the next one leaves out: the tails know. */
  #slice(fromMs: number, toMs: number): AsyncGenerator<Batch, void> {
    const call = queryCall(`${this.#selector}[${toMs - fromMs}ms]`, toMs);
    return readPatiently(this.#deadline, () => this.#attempt(call), true);
  }

  async *#attempt(call: HttpCall): AsyncGenerator<Batch, void> {
    const client = this.#client;
    const notes = emptyNotes();
    let [points, seriesPoints] = [0, 0];
    const scan = new JsonScan(
      rangeVectors(notes, (labels, samples) => {
        points += samples.timeCount;
        seriesPoints = Math.max(seriesPoints, samples.timeCount);
        this.#tails.add(labels, samples);
      }),
    );
    const answer = await client.open(call, this.#deadline);
    try {
      const take = (chunk: Uint8Array): Uint8Array[] => {
        scan.push(chunk);
        return this.#batches.takeFull();
      };
      for await (const bytes of client.items(answer, this.#deadline, take))
        yield { encoding: 'samples', bytes };
      scan.finish();
      requireMatrix(client.name, notes, scan.documents);
    } catch (error) {
      throw bodyFailure(client.name, error);
    }
    this.#came = { points, seriesPoints };
    for (const warning of notes.warnings) this.#onWarning?.(`${client.name}: ${warning}`);
  }

  #tooMuch(cause: StoreFailure, lengthMs: number): StoreFailure {
    const seconds = Math.round(lengthMs / 1000);
    return new StoreFailure(`${cause.message} (asked for ${seconds} seconds at once)`, {
      status: 422,
      hint: "raise the store's limit of samples a query, such as --query.max-samples, or use a reader that streams",
      cause,
    });
  }
}

function* batchesOf(batches: readonly Uint8Array[]): Generator<Batch, void> {
  for (const bytes of batches) yield { encoding: 'samples', bytes };
}

export function queryCall(query: string, timeMs: number): HttpCall {
  const parameters = new URLSearchParams({ query, time: (timeMs / 1000).toFixed(3) });
  return {
    method: 'POST',
    path: '/api/v1/query',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(parameters.toString()),
  };
}

/** @throws {StoreFailure | BrokenJson} unless the store says that it gave what was asked for */
function requireMatrix(store: string, notes: AnswerNotes, documents: number): void {
  if (notes.status === 'error') throw errorFailure(store, notes.errorType, notes.error);
  if (documents !== 1) throw new BrokenJson('cut off', `it holds ${documents} JSON documents`);
  if (notes.status !== 'success' || notes.resultType !== 'matrix')
    throw new BrokenJson('damaged', `status '${notes.status}', result '${notes.resultType}'`);
}

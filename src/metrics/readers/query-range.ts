/**
 * Reads raw samples from any store that understands PromQL: instant queries on range selectors
 * (`metric{…}[7200000ms]` at a time), one slice of time after the other
 * (https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries). End markers do not
 * come this way: PromQL hides them.
 */
import { Deadline } from '../client/deadline.ts';
import type { HttpAnswer, HttpCall } from '../client/http-call.ts';
import { BrokenJson, JsonScan } from './json-scan.ts';
import { MatrixMemory } from './matrix-memory.ts';
import { bodyFailure, readInTurn, readWithRetries, type Reading } from './read-with-retries.ts';
import { narrowed, selectorText } from './promql.ts';
import { emptyNotes, rangeVectors, type AnswerNotes } from './range-vectors.ts';
import { SeriesBatches } from './series-batches.ts';
import { SeriesTails } from './series-tails.ts';
import { SliceLengths, type SliceAnswer } from './slice-lengths.ts';
import { ReadTurns } from '../client/read-turns.ts';
import type { Batch, MetricsSource, OnWarning, Room, TimeRange } from '../source.ts';
import { StoreClient } from '../client/store-client.ts';
import { errorFailure, StoreFailure } from '../client/store-failure.ts';
import type { StoreOptions } from '../client/store-options.ts';

export interface QueryRangeOptions extends StoreOptions {
  /** Longest slice. Default twelve hours, which is also the maximum. */
  readonly sliceMs?: number;
}

export interface QueryRange extends MetricsSource {
  /** Closes idle connections and aborts running reads. */
  close(): Promise<void>;
}

/**
 * A read fails with `Unavailable`, naming the store and what happened, unless the caller's signal
 * ended it: then with that signal's reason. A slice is requested at most three times.
 * @throws {Fault} when `options.url` is not a store's address
 */
export function createQueryRange(options: QueryRangeOptions): QueryRange {
  const client = new StoreClient(options);
  const concurrentReads = options.concurrentReads ?? 4;
  const turns = options.pace ?? new ReadTurns(concurrentReads);
  const memory = new MatrixMemory(client.name, options.isMemoryChecked);
  const whole = new WholeAnswers();
  return {
    name: client.name,
    concurrentReads,
    close: () => client.close(),
    read: (selection, range, signal, onWarning, room) => {
      const deadline = new Deadline(options, signal);
      const reading: Reading = { name: client.name, turns, deadline };
      const store: Store = { client, memory, whole, deadline, onWarning };
      const sliced = new SlicedRead(
        store,
        selectorText(narrowed(selection, options.matchers)),
        room,
      );
      return readInTurn(reading, () => sliced.run(range, new SliceLengths(options.sliceMs)));
    },
  };
}

/** What a read needs of the store. */
interface Store {
  readonly client: StoreClient;
  readonly memory: MatrixMemory;
  readonly whole: WholeAnswers;
  readonly deadline: Deadline;
  readonly onWarning: OnWarning | undefined;
}

/**
 * Asks a store of several parts to fail where one of them does: without the parameter Thanos answers with the rest, and a
 * warning. Others pass over what they do not know, but for some, such as Google's, that refuse it: they are asked without.
 */
class WholeAnswers {
  #parameters: Readonly<Record<string, string>> = { [PARTIAL]: 'false' };

  open({ client, deadline }: Store, query: string, timeMs: number): Promise<HttpAnswer> {
    const asked = this.#parameters;
    return client.open(queryCall(query, timeMs, asked), deadline).catch((error: unknown) => {
      const isRefused =
        error instanceof StoreFailure && error.answered === 400 && error.message.includes(PARTIAL);
      if (!isRefused || !(PARTIAL in asked)) throw error;
      this.#parameters = {};
      return client.open(queryCall(query, timeMs), deadline);
    });
  }
}

const PARTIAL = 'partial_response';

/** One read: slices (from, to] in order of time, each requested until it is complete. */
class SlicedRead {
  readonly #asked: Store;
  readonly #selector: string;
  readonly #batches: SeriesBatches;
  readonly #tails: SeriesTails;
  /** Counts of the last slice. */
  #came: SliceAnswer = { points: 0, seriesPoints: 0 };

  constructor(asked: Store, selector: string, room: Room | undefined) {
    this.#asked = asked;
    this.#selector = selector;
    this.#batches = new SeriesBatches(room);
    this.#tails = new SeriesTails(this.#batches);
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

  /** A retry leaves out samples that were handed out before the failure, by the series' tails. */
  #slice(fromMs: number, toMs: number): AsyncGenerator<Batch, void> {
    const query = `${this.#selector}[${toMs - fromMs}ms]`;
    return readWithRetries(this.#asked.deadline, () => this.#attempt(query, toMs), true);
  }

  async *#attempt(query: string, timeMs: number): AsyncGenerator<Batch, void> {
    const { client, memory, whole, deadline, onWarning } = this.#asked;
    const notes = emptyNotes();
    let [points, seriesPoints] = [0, 0];
    const answer = await whole.open(this.#asked, query, timeMs);
    const matrix = memory.open((series) => {
      points += series.timesMs.length;
      seriesPoints = Math.max(seriesPoints, series.timesMs.length);
      this.#tails.add(series);
    });
    try {
      const scan = new JsonScan(rangeVectors(notes, matrix.push));
      const take = (chunk: Uint8Array): Uint8Array[] => {
        scan.push(chunk);
        return this.#batches.takeFull();
      };
      for await (const bytes of client.items(answer, deadline, take))
        yield { encoding: 'samples', bytes };
      scan.finish();
      requireMatrix(client.name, notes, scan.documents);
    } catch (error) {
      throw bodyFailure(client.name, error);
    } finally {
      matrix.close();
    }
    this.#came = { points, seriesPoints };
    for (const warning of notes.warnings) onWarning?.(`${client.name}: ${warning}`);
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

export function queryCall(
  query: string,
  timeMs: number,
  more: Readonly<Record<string, string>> = {},
): HttpCall {
  const parameters = new URLSearchParams({ query, time: (timeMs / 1000).toFixed(3), ...more });
  return {
    method: 'POST',
    path: '/api/v1/query',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(parameters.toString()),
  };
}

/** @throws {StoreFailure | BrokenJson} unless the store reports success */
function requireMatrix(store: string, notes: AnswerNotes, documents: number): void {
  if (notes.status === 'error') throw errorFailure(store, notes.errorType, notes.error);
  if (documents !== 1) throw new BrokenJson('cut off', `it holds ${documents} JSON documents`);
  if (notes.status !== 'success' || notes.resultType !== 'matrix')
    throw new BrokenJson('damaged', `status '${notes.status}', result '${notes.resultType}'`);
}

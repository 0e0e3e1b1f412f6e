/**
 * Reads VictoriaMetrics' export of raw samples as JSON lines, a series a line
 * (https://docs.victoriametrics.com/#how-to-export-data-in-json-line-format).
 *
 * Neither `reduce_mem_usage` nor `max_rows_per_line` is used: with the first the blocks of one
 * series come in any order and doubled samples stay, with the second lines of several series mix.
 * The native format is not documented, and not read.
 */
import { Deadline } from '../client/deadline.ts';
import type { HttpCall } from '../client/http-call.ts';
import { JsonScan } from './json-scan.ts';
import { bodyFailure, readInTurn, readWithRetries } from './read-with-retries.ts';
import { narrowed, selectorText } from './promql.ts';
import { SeriesBatches } from './series-batches.ts';
import { ReadTurns } from '../client/read-turns.ts';
import type { Batch, MetricsSource, Room, Selection, TimeRange, Together } from '../source.ts';
import { StoreClient } from '../client/store-client.ts';
import type { StoreOptions } from '../client/store-options.ts';
import { togetherOrInTurn, type ReadAny } from './together.ts';
import { exportLine } from './victoria-line.ts';

export interface VictoriaExport extends MetricsSource {
  /** Closes idle connections and aborts running reads. */
  close(): Promise<void>;
}

/**
 * A read fails with `Unavailable`, naming the store and what happened, unless the caller's signal
 * ended it: then with that signal's reason. It is tried again, at most twice, unless a batch has been
 * yielded.
 * @throws {Fault} when `options.url` is not a store's address
 */
export function createVictoriaExport(options: StoreOptions): VictoriaExport {
  const client = new StoreClient({ ...options, product: 'VictoriaMetrics' });
  const concurrentReads = options.concurrentReads ?? 4;
  const turns = options.pace ?? new ReadTurns(concurrentReads);
  const read: ReadAny = (what, range, signal, _onWarning, room) => {
    const call = exportCall(narrowed(what, options.matchers), range);
    const deadline = new Deadline(options, signal);
    return readInTurn({ name: client.name, turns, deadline }, () =>
      readWithRetries(deadline, () => readOnce(client, call, deadline, room)),
    );
  };
  const together = togetherOrInTurn(read);
  return {
    name: client.name,
    concurrentReads,
    close: () => client.close(),
    read,
    together: () => Promise.resolve(together),
  };
}

/** Times are Unix seconds, both inclusive. */
export function exportCall(selection: Selection | Together, range: TimeRange): HttpCall {
  const parameters = new URLSearchParams({
    'match[]': selectorText(selection),
    start: (Math.floor(range.startMs) / 1000).toFixed(3),
    end: (Math.ceil(range.endMs) / 1000).toFixed(3),
  });
  return {
    method: 'POST',
    path: '/api/v1/export',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(parameters.toString()),
  };
}

async function* readOnce(
  client: StoreClient,
  call: HttpCall,
  deadline: Deadline,
  room: Room | undefined,
): AsyncGenerator<Batch, void> {
  const batches = new SeriesBatches(room);
  const scan = new JsonScan(exportLine(batches));
  const answer = await client.open(call, deadline);
  try {
    const take = (chunk: Uint8Array): Uint8Array[] => {
      scan.push(chunk);
      return batches.takeFull();
    };
    for await (const bytes of client.items(answer, deadline, take))
      yield { encoding: 'samples', bytes };
    scan.finish();
  } catch (error) {
    throw bodyFailure(client.name, error);
  }
  for (const bytes of batches.takeAll()) yield { encoding: 'samples', bytes };
}

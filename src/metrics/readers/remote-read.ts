/**
 * Reads Prometheus' streamed remote read: raw samples in their stored chunks
 * (https://prometheus.io/docs/prometheus/latest/querying/remote_read_api/).
 */
import { Deadline } from '../client/deadline.ts';
import { BatchMemory, MessageScan } from './chunked-messages.ts';
import type { HttpAnswer, HttpCall } from '../client/http-call.ts';
import { bodyFailure, readInTurn, readWithRetries } from './read-with-retries.ts';
import { encodeReadRequest } from './remote-read-request.ts';
import { narrowed } from './promql.ts';
import { ReadTurns } from '../client/read-turns.ts';
import { snappy } from './snappy.ts';
import type { Batch, MetricsSource, Room, Selection, TimeRange, Together } from '../source.ts';
import { StoreClient } from '../client/store-client.ts';
import { wrongAnswer } from '../client/store-failure.ts';
import type { StoreOptions } from '../client/store-options.ts';
import { askEarliest, askIdentity, type StoreIdentity } from '../client/store-identity.ts';
import { togetherOrInTurn, type ReadAny } from './together.ts';

export type RemoteReadOptions = StoreOptions;

export interface RemoteRead extends MetricsSource {
  /** The store's program and version. @throws {Unavailable} when it does not answer */
  probe(signal: AbortSignal): Promise<StoreIdentity>;
  earliestSampleMs(signal: AbortSignal): Promise<number | undefined>;
  /** Closes idle connections and aborts running reads. */
  close(): Promise<void>;
}

/**
 * A read fails with `Unavailable`, naming the store and what happened, unless the caller's signal
 * ended it: then with that signal's reason. It is tried again, at most twice, unless a batch has been
 * yielded.
 * @throws {Fault} when `options.url` is not a store's address
 */
export function createRemoteRead(options: RemoteReadOptions): RemoteRead {
  const client = new StoreClient(options);
  const concurrentReads = options.concurrentReads ?? 4;
  const turns = options.pace ?? new ReadTurns(concurrentReads);
  const memory = new BatchMemory();

  const ask = async <T>(
    signal: AbortSignal,
    request: (client: StoreClient, deadline: Deadline) => Promise<T>,
  ): Promise<T> => {
    const deadline = new Deadline(options, signal);
    return await request(client, deadline).finally(() => deadline.end());
  };

  const read: ReadAny = (what, range, signal, _onWarning, room = ownMemory) => {
    const call = readCall(narrowed(what, options.matchers), range);
    const deadline = new Deadline(options, signal);
    return readInTurn({ name: client.name, turns, deadline }, () =>
      readWithRetries(deadline, () => readOnce(client, call, deadline, memory, room)),
    );
  };
  const together = togetherOrInTurn(read);

  return {
    name: client.name,
    concurrentReads,
    probe: (signal) => ask(signal, askIdentity),
    earliestSampleMs: (signal) => ask(signal, askEarliest),
    close: () => client.close(),
    read,
    together: () => Promise.resolve(together),
  };
}

/** Checks that a store streams remote reads. @throws {StoreFailure} when it does not */
export async function probeRemoteRead(
  client: StoreClient,
  selection: Selection,
  range: TimeRange,
  deadline: Deadline,
): Promise<void> {
  const answer = await client.open(readCall(selection, range), deadline);
  requireStream(client, answer);
  answer.body.discard();
}

function readCall(selection: Selection | Together, range: TimeRange): HttpCall {
  return {
    method: 'POST',
    path: '/api/v1/read',
    headers: {
      'Content-Encoding': 'snappy',
      'Content-Type': 'application/x-protobuf',
      'X-Prometheus-Remote-Read-Version': '0.1.0',
    },
    body: snappy(encodeReadRequest(selection, range)),
  };
}

const ownMemory: Room = (bytes) => new Uint8Array(bytes);

async function* readOnce(
  client: StoreClient,
  call: HttpCall,
  deadline: Deadline,
  memory: BatchMemory,
  room: Room,
): AsyncGenerator<Batch, void> {
  const answer = await client.open(call, deadline);
  requireStream(client, answer);
  const scan = new MessageScan(memory, room);
  try {
    for await (const bytes of client.items(answer, deadline, (chunk) => scan.push(chunk)))
      yield { encoding: 'chunked-read', bytes };
    const rest = scan.finish();
    if (rest.length > 0) yield { encoding: 'chunked-read', bytes: rest };
  } catch (error) {
    throw bodyFailure(client.name, error);
  } finally {
    scan.close();
  }
}

function requireStream(client: StoreClient, answer: HttpAnswer): void {
  const type = answer.header('content-type');
  const [media, ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  const proto = parameters.includes('proto=prometheus.chunkedreadresponse');
  if (media === 'application/x-streamed-protobuf' && proto) return;
  answer.body.discard();
  throw wrongAnswer(
    client.name,
    media === 'application/x-protobuf'
      ? 'it does not stream remote reads: it answered with SAMPLES, not STREAMED_XOR_CHUNKS'
      : `it does not stream remote reads: it answered with '${type.slice(0, 100)}'`,
    'point the metrics URL at a store that offers streamed remote read, such as Prometheus 2.13+',
  );
}

/**
 * Reads Prometheus' streamed remote read: raw samples in the chunks they are stored in
 * (https://prometheus.io/docs/prometheus/latest/querying/remote_read_api/).
 */
import { Unavailable } from '../query/index.ts';
import { Deadline, type TimeLimits } from './deadline.ts';
import { BrokenFrames, wholeFrames } from './frames.ts';
import type { HttpAnswer, HttpCall } from './http-client.ts';
import { encodeReadRequest } from './remote-read-request.ts';
import { beforeRetry } from './retry.ts';
import { Slots } from './slots.ts';
import { snappy } from './snappy.ts';
import type { Batch, MetricsSource, Selection, TimeRange } from './source.ts';
import { StoreClient, type StoreClientOptions } from './store-client.ts';
import { connectionFailure, StoreFailure, wrongAnswer } from './store-failure.ts';
import { askEarliest, askIdentity, type StoreIdentity } from './store-identity.ts';

export interface RemoteReadOptions extends StoreClientOptions, TimeLimits {
  /** Reads beyond it wait for their turn; Prometheus itself serves ten at once. Default 4. */
  readonly concurrentReads?: number;
}

export interface RemoteRead extends MetricsSource {
  /** Which program answers, and its version. @throws {Unavailable} when none does */
  probe(signal: AbortSignal): Promise<StoreIdentity>;
  earliestSampleMs(signal: AbortSignal): Promise<number | undefined>;
  /** Closes idle connections and aborts running reads. */
  close(): Promise<void>;
}

/**
 * A read fails with `Unavailable`, naming the store and what happened, unless the caller's signal
 * ended it: then with that signal's reason. It is tried again, at most twice, only while no batch
 * has been handed out.
 * @throws {Fault} when `options.url` is not a store's address
 */
export function createRemoteRead(options: RemoteReadOptions): RemoteRead {
  const client = new StoreClient(options);
  const concurrentReads = options.concurrentReads ?? 4;
  const slots = new Slots(concurrentReads);

  const ask = async <T>(
    signal: AbortSignal,
    question: (client: StoreClient, deadline: Deadline) => Promise<T>,
  ): Promise<T> => {
    const deadline = new Deadline(options, signal);
    return await question(client, deadline).finally(() => deadline.end());
  };

  return {
    name: client.name,
    concurrentReads,
    probe: (signal) => ask(signal, askIdentity),
    earliestSampleMs: (signal) => ask(signal, askEarliest),
    close: () => client.close(),
    read: (selection, range, signal) => {
      const call = readCall(selection, range);
      return readWithin(client, call, slots, new Deadline(options, signal));
    },
  };
}

function readCall(selection: Selection, range: TimeRange): HttpCall {
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

async function* readWithin(
  client: StoreClient,
  call: HttpCall,
  slots: Slots,
  deadline: Deadline,
): AsyncGenerator<Batch, void> {
  let giveBack: (() => void) | undefined;
  try {
    giveBack = await slots.take(deadline.signal);
    yield* readPatiently(client, call, deadline);
  } catch (cause) {
    throw deadline.signal.aborted
      ? connectionFailure(client.name, 'queue', cause, deadline)
      : cause;
  } finally {
    giveBack?.();
    deadline.end();
  }
}

async function* readPatiently(
  client: StoreClient,
  call: HttpCall,
  deadline: Deadline,
): AsyncGenerator<Batch, void> {
  for (let tries = 1; ; tries++) {
    let begun = false;
    try {
      for await (const bytes of readOnce(client, call, deadline)) {
        begun = true;
        yield { encoding: 'chunked-read', bytes };
      }
      return;
    } catch (error) {
      if (begun || !(error instanceof StoreFailure)) throw error;
      await beforeRetry(error, tries, deadline);
    }
  }
}

async function* readOnce(
  client: StoreClient,
  call: HttpCall,
  deadline: Deadline,
): AsyncGenerator<Uint8Array, void> {
  const answer = await client.open(call, deadline);
  requireStream(client, answer);
  try {
    yield* wholeFrames(client.chunks(answer, deadline));
  } catch (error) {
    throw error instanceof BrokenFrames ? brokenAnswer(client.name, error) : error;
  }
}

function brokenAnswer(store: string, { kind, message }: BrokenFrames): Unavailable {
  const what = kind === 'damaged' ? 'its answer is damaged' : 'its answer was cut off mid-stream';
  return new StoreFailure(`cannot read ${store}: ${what} (${message})`, {
    status: 502,
    mayRetry: true,
  });
}

function requireStream(client: StoreClient, answer: HttpAnswer): void {
  const type = answer.header('content-type');
  const [media, ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  const proto = parameters.includes('proto=prometheus.chunkedreadresponse');
  if (media === 'application/x-streamed-protobuf' && proto) return;
  answer.discard();
  throw wrongAnswer(
    client.name,
    media === 'application/x-protobuf'
      ? 'it does not stream remote reads: it answered with SAMPLES, not STREAMED_XOR_CHUNKS'
      : `it does not stream remote reads: it answered with '${type.slice(0, 100)}'`,
    'point the metrics URL at a store that offers streamed remote read, such as Prometheus 2.13+',
  );
}

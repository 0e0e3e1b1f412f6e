/** Reads of a scripted store, for the tests of remote read. */
import {
  createRemoteRead,
  type Batch,
  type RemoteReadOptions,
  type Selection,
  type TimeRange,
} from '../../../src/metrics/index.ts';
import { encodeChunked } from './chunked-frames.ts';
import { uvarint } from './samples-encoding.ts';
import { startScriptedStore, type Reply, type ScriptedStore } from './scripted-store.ts';

type TimeLimits = Pick<RemoteReadOptions, 'idleTimeoutMs' | 'totalTimeoutMs'>;

export const SELECTION: Selection = { metric: 'up', matchers: [] };
export const RANGE: TimeRange = { startMs: 1_700_000_000_000, endMs: 1_700_000_600_000 };
export const LIMITS: TimeLimits = { idleTimeoutMs: 2000, totalTimeoutMs: 8000 };

export function frame(pod: string): Buffer {
  const labels = [['__name__', 'up'], ['pod', pod]] as const; // prettier-ignore
  return encodeChunked([{ labels, timestampsMs: [RANGE.startMs, RANGE.endMs], values: [1, 2] }]);
}

/** More than a batch, so that something is handed out before the rest comes. */
export const MEBIBYTE: Buffer = Buffer.concat(
  Array.from({ length: 1100 }, () => Buffer.concat([uvarint(1000), Buffer.alloc(1004, 7)])),
);

export async function readAll(
  url: string,
  options: Partial<RemoteReadOptions> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Batch[]> {
  const source = createRemoteRead({ url, ...LIMITS, ...options });
  const batches: Batch[] = [];
  try {
    for await (const batch of source.read(SELECTION, RANGE, signal)) batches.push(batch);
    return batches;
  } finally {
    await source.close();
  }
}

export async function withStore(
  script: readonly Reply[],
  use: (store: ScriptedStore) => Promise<void>,
): Promise<void> {
  const store = await startScriptedStore(...script);
  try {
    await use(store);
  } finally {
    await store.stop();
  }
}

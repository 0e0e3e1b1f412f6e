/** The time of the newest sample of a read, by the heads of its chunks and blocks: no value is decoded. */
import { blockPlaces, SAMPLES_BLOCK, STORED_SERIES, storedPlaces } from '../columnar/index.ts';
import { FACTS } from './catalogue.ts';
import type { Batch, MetricsSource, Selection, TimeRange } from './source.ts';

/** The first that a store has tells how far its samples go: few series, then more. */
const PROBED: readonly Selection[] = [
  FACTS.nodeInfo.selection,
  FACTS.podInfo.selection,
  { metric: 'kube_pod_container_resource_requests', matchers: [] },
];
/** Samples so far beyond the range are of clocks that are ahead; farther ones prove nothing. */
const AHEAD_MS = 600_000;

/**
 * @returns the newest time up to the range's end, perhaps before its start, as stores may send more than
 *   what was read; undefined where kube-state-metrics has no sample
 * @throws {Unavailable} the store failed
 */
export async function newestSampleMs(
  source: MetricsSource,
  range: TimeRange,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { clusters = [[source]] } = source;
  const newest = await Promise.all(
    clusters.map(async (stores) => {
      const found = await Promise.all(stores.map((store) => newestIn(store, range, signal)));
      const known = found.filter((ms) => ms !== undefined);
      return known.length === 0 ? undefined : Math.max(...known);
    }),
  );
  // Samples are there as far as those of the cluster that is the farthest behind.
  const known = newest.filter((ms) => ms !== undefined);
  return known.length < newest.length ? undefined : Math.min(...known);
}

async function newestIn(
  source: MetricsSource,
  range: TimeRange,
  signal: AbortSignal,
): Promise<number | undefined> {
  let newestMs = -Infinity;
  const latestMs = range.endMs + AHEAD_MS;
  for (const selection of PROBED) {
    for await (const batch of source.read(selection, range, signal)) {
      for (const [firstMs, lastMs] of spansIn(batch)) {
        if (firstMs > latestMs) continue;
        // Prometheus tells no end of a chunk that is written; it came as the store goes beyond the start.
        const knownMs = lastMs <= latestMs ? lastMs : Math.max(firstMs, range.startMs);
        newestMs = Math.max(newestMs, knownMs);
      }
      if (newestMs >= range.startMs) return Math.min(newestMs, range.endMs);
    }
  }
  return newestMs === -Infinity ? undefined : newestMs;
}

type Spans = Iterable<readonly [firstMs: number, lastMs: number]>;

function spansIn({ encoding, bytes }: Batch): Spans {
  switch (encoding) {
    case 'samples':
      return blocksIn(bytes);
    case 'chunked-read':
      return chunksIn(bytes);
    case 'stored-chunks':
      return storedIn(bytes);
  }
}

function* blocksIn(bytes: Uint8Array): Spans {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { labelBytes, samples: count } = SAMPLES_BLOCK.u32;
  for (let at = 0; at + SAMPLES_BLOCK.bytes <= bytes.length;) {
    const samples = view.getUint32(at + count, true);
    const places = blockPlaces(at, view.getUint32(at + labelBytes, true), samples);
    // A read refuses it.
    if (places.end > bytes.length) return;
    if (samples > 0) {
      const last = places.times + 8 * (samples - 1);
      yield [view.getFloat64(places.times, true), view.getFloat64(last, true)];
    }
    at = places.end;
  }
}

function* storedIn(bytes: Uint8Array): Spans {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { labelBytes, chunkBytes } = STORED_SERIES.u32;
  const { firstMs, lastMs } = STORED_SERIES.f64;
  for (let at = 0; at + STORED_SERIES.bytes <= bytes.length;) {
    yield [view.getFloat64(at + firstMs, true), view.getFloat64(at + lastMs, true)];
    const labels = view.getUint32(at + labelBytes, true);
    at = storedPlaces(at, labels, view.getUint32(at + chunkBytes, true)).end;
  }
}

/**
 *   frame    uvarint length, 4 bytes of checksum, message
 *   message  1: series { 2: chunk { 1: first ms, 2: last ms, … } }
 */
function* chunksIn(bytes: Uint8Array): Spans {
  for (let at = 0; at < bytes.length;) {
    const length = uvarintAt(bytes, at);
    const from = length.end + 4;
    at = from + length.value;
    for (const series of fieldsOf(bytes.subarray(from, at))) {
      if (series.field !== 1) continue;
      for (const chunk of fieldsOf(series.bytes)) {
        if (chunk.field !== 2) continue;
        const times = new Map(fieldsOf(chunk.bytes).map(({ field, value }) => [field, value]));
        yield [times.get(1) ?? Infinity, times.get(2) ?? Infinity];
      }
    }
  }
}

interface Field {
  readonly field: number;
  readonly value: number;
  readonly bytes: Uint8Array;
}

/** Fields that are numbers or lengths with bytes: there are no others. */
function fieldsOf(message: Uint8Array): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < message.length;) {
    const tag = uvarintAt(message, at);
    const { value, end } = uvarintAt(message, tag.end);
    at = tag.value % 8 === 2 ? end + value : end;
    fields.push({ field: Math.floor(tag.value / 8), value, bytes: message.subarray(end, at) });
  }
  return fields;
}

function uvarintAt(bytes: Uint8Array, from: number): { value: number; end: number } {
  let value = 0;
  let scale = 1;
  let at = from;
  for (; at < bytes.length; scale *= 128) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) break;
  }
  return { value, end: at };
}

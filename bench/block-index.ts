/**
 * The index of a Prometheus block, version 2
 * (https://github.com/prometheus/prometheus/blob/main/tsdb/docs/format/index.md), without the label
 * indices, which no reader uses any more.
 */
import { ByteWriter, crc32c } from './byte-writer.ts';

export interface IndexedChunk {
  readonly minMs: number;
  readonly maxMs: number;
  /** Offset in the chunk file. */
  readonly ref: number;
}

export interface IndexedSeries {
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly chunks: readonly IndexedChunk[];
}

const INDEX_MAGIC = 0xbaaad700;
/** A series' number is its offset divided by this. */
const SERIES_ALIGN = 16;

/** @param series sorted by their labels */
export function encodeIndex(series: readonly IndexedSeries[]): Uint8Array {
  const out = new ByteWriter();
  out.u32(INDEX_MAGIC).u8(2);
  const symbolsAt = out.length;
  const symbols = writeSymbols(out, series);
  const seriesAt = out.align(SERIES_ALIGN).length;
  const references = series.map((one) => writeSeries(out, one, symbols));
  const postingsAt = out.align(4).length;
  const offsets = writePostings(out, series, references);
  const tableAt = out.length;
  writeSection(out, (body) => {
    body.u32(offsets.length);
    for (const [name, value, at] of offsets) body.uvarint(2).text(name).text(value).uvarint(at);
  });
  const endAt = out.length;
  out.u64(symbolsAt).u64(seriesAt).u64(0).u64(0).u64(postingsAt).u64(tableAt);
  out.u32(crc32c(out.view(endAt)));
  return out.view(0);
}

/** `u32 length, body, u32 CRC of the body` */
function writeSection(out: ByteWriter, write: (body: ByteWriter) => void): void {
  const body = new ByteWriter();
  write(body);
  const bytes = body.view(0);
  out.u32(bytes.length).bytes(bytes).u32(crc32c(bytes));
}

/** @returns each text's place among all of them, sorted */
function writeSymbols(out: ByteWriter, series: readonly IndexedSeries[]): Map<string, number> {
  const texts = [...new Set(series.flatMap(({ labels }) => labels.flat()))].sort();
  writeSection(out, (body) => {
    body.u32(texts.length);
    for (const text of texts) body.text(text);
  });
  return new Map(texts.map((text, i) => [text, i]));
}

function writeSeries(
  out: ByteWriter,
  { labels, chunks }: IndexedSeries,
  symbols: ReadonlyMap<string, number>,
): number {
  const at = out.align(SERIES_ALIGN).length;
  const body = new ByteWriter();
  body.uvarint(labels.length);
  for (const text of labels.flat()) body.uvarint(symbols.get(text) ?? 0);
  body.uvarint(chunks.length);
  let before: IndexedChunk = { minMs: 0, maxMs: 0, ref: 0 };
  for (const [i, chunk] of chunks.entries()) {
    if (i === 0)
      body
        .varint(chunk.minMs)
        .uvarint(chunk.maxMs - chunk.minMs)
        .uvarint(chunk.ref);
    else {
      body.uvarint(chunk.minMs - before.maxMs).uvarint(chunk.maxMs - chunk.minMs);
      body.varint(chunk.ref - before.ref);
    }
    before = chunk;
  }
  const bytes = body.view(0);
  out.uvarint(bytes.length).bytes(bytes).u32(crc32c(bytes));
  return at / SERIES_ALIGN;
}

type Posting = readonly [name: string, value: string, offset: number];

/** For each label the series that have it; first, under two empty texts, all of them. */
function writePostings(
  out: ByteWriter,
  series: readonly IndexedSeries[],
  references: readonly number[],
): Posting[] {
  const lists = new Map<string, Map<string, number[]>>([['', new Map([['', [...references]]])]]);
  for (const [i, { labels }] of series.entries()) {
    for (const [name, value] of labels) {
      const values = lists.get(name) ?? new Map<string, number[]>();
      lists.set(name, values);
      const list = values.get(value) ?? [];
      values.set(value, list);
      list.push(references[i] ?? 0);
    }
  }
  return [...lists.keys()].sort().flatMap((name) => {
    const values = lists.get(name) ?? new Map<string, number[]>();
    return [...values.keys()].sort().map((value): Posting => {
      const at = out.align(4).length;
      writeSection(out, (body) => {
        const list = values.get(value) ?? [];
        body.u32(list.length);
        for (const reference of list) body.u32(reference);
      });
      return [name, value, at];
    });
  });
}

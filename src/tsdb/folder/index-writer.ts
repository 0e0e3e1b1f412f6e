/**
 * The index of a block, version 2
 * (https://github.com/prometheus/prometheus/blob/main/tsdb/docs/format/index.md), without the label
 * indices, which no reader uses any more:
 *
 * ```
 *   baaad700 02 │ symbols │ series, each at a multiple of 16 │ postings, each at one of 4 │ table of postings │ TOC
 * ```
 */
import { ByteWriter } from '../format/byte-writer.ts';
import { crc32c } from '../format/crc32c.ts';
import { GrowingFile } from './growing-file.ts';
import {
  INDEX_MAGIC,
  INDEX_VERSION,
  SERIES_ALIGN,
  type IndexedChunk,
} from '../format/index-format.ts';
import { LabelScan } from '../format/label-scan.ts';
import { Numbers } from '../format/numbers.ts';
import type { LabelBytes } from '../format/series.ts';
import { Symbols } from '../format/symbols.ts';

/** A label's name: which series have it, and with which value. */
interface Named {
  readonly series: Numbers;
  readonly values: Numbers;
}

export class IndexWriter {
  readonly #symbols: Symbols = new Symbols();
  readonly #byName: Map<number, Named> = new Map();
  /** All series' symbols of names and values in turn; where each one's end; their chunks as in the file. */
  readonly #labels: Numbers = new Numbers();
  readonly #labelEnds: Numbers = new Numbers();
  readonly #chunks: ByteWriter = new ByteWriter();
  readonly #chunkEnds: Numbers = new Numbers();
  readonly #scan: LabelScan = new LabelScan();

  get series(): number {
    return this.#labelEnds.length;
  }

  /** In the order of `compareLabels`. */
  add(labels: LabelBytes, chunks: readonly IndexedChunk[]): void {
    const bytes = Buffer.from(labels.buffer, labels.byteOffset, labels.length);
    const place = this.series;
    const scan = this.#scan.open(labels);
    while (scan.next()) {
      const name = this.#symbols.add(bytes, scan.nameStart, scan.nameEnd);
      const value = this.#symbols.add(bytes, scan.valueStart, scan.valueEnd);
      this.#labels.push(name);
      this.#labels.push(value);
      let named = this.#byName.get(name);
      if (named === undefined) {
        named = { series: new Numbers(), values: new Numbers() };
        this.#byName.set(name, named);
      }
      named.series.push(place);
      named.values.push(value);
    }
    this.#labelEnds.push(this.#labels.length);
    writeChunks(this.#chunks, chunks);
    this.#chunkEnds.push(this.#chunks.length);
  }

  /** @returns the file's length */
  async write(path: string): Promise<number> {
    const file = await GrowingFile.create(path);
    try {
      await this.#write(file);
      return await file.finish();
    } catch (error) {
      await file.abandon();
      throw error;
    }
  }

  async #write(file: GrowingFile): Promise<void> {
    const { texts, places } = this.#symbols.sorted();
    file.out.u32(INDEX_MAGIC).u8(INDEX_VERSION);
    const symbolsAt = file.length;
    await writeSection(file, (body) => {
      body.u32(texts.length);
      for (const text of texts) body.text(text);
    });
    const seriesAt = file.align(SERIES_ALIGN);
    const references = await this.#writeSeries(file, places);
    const postingsAt = file.align(4);
    const table = new ByteWriter();
    const lists = await this.#writePostings(file, { references, places, table });
    const tableAt = file.length;
    await writeSection(file, (body) => body.u32(lists).bytes(table.view(0)));
    const toc = new ByteWriter();
    toc.u64(symbolsAt).u64(seriesAt).u64(0).u64(0).u64(postingsAt).u64(tableAt);
    file.out.bytes(toc.view(0)).u32(crc32c(toc.view(0)));
  }

  async #writeSeries(file: GrowingFile, places: Uint32Array): Promise<Uint32Array> {
    const references = new Uint32Array(this.series);
    const body = new ByteWriter();
    const chunks = this.#chunks.view(0);
    let label = 0;
    for (let series = 0; series < this.series; series++) {
      references[series] = file.align(SERIES_ALIGN) / SERIES_ALIGN;
      const labelEnd = this.#labelEnds.at(series);
      body.clear();
      body.uvarint((labelEnd - label) / 2);
      for (; label < labelEnd; label++) body.uvarint(places[this.#labels.at(label)] ?? 0);
      const from = series === 0 ? 0 : this.#chunkEnds.at(series - 1);
      body.bytes(chunks.subarray(from, this.#chunkEnds.at(series)));
      const bytes = body.view(0);
      file.out.uvarint(bytes.length).bytes(bytes).u32(crc32c(bytes));
      if (file.isFull) await file.flush();
    }
    return references;
  }

  /**
   * For each label the series that have it; first, under two empty texts, all of them.
   * @param to `table` gets a row a list: name, value, its offset
   * @returns the number of lists
   */
  async #writePostings(
    file: GrowingFile,
    to: { references: Uint32Array; places: Uint32Array; table: ByteWriter },
  ): Promise<number> {
    const { references, places, table } = to;
    table.uvarint(2).text('').text('').uvarint(file.length);
    await writeList(file, references);
    let lists = 1;
    const groups = new Groups(this.#symbols.size);
    const names = [...this.#byName].toSorted(([a], [b]) => (places[a] ?? 0) - (places[b] ?? 0));
    for (const [name, named] of names) {
      groups.fill(named);
      const values = groups.values.toSorted((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
      for (const value of values) {
        table.uvarint(2).text(this.#symbols.text(name)).text(this.#symbols.text(value));
        table.uvarint(file.align(4));
        await writeList(file, groups.of(value), references);
      }
      lists += values.length;
    }
    return lists;
  }
}

/** The series of one name by value, each value's in order. */
class Groups {
  values: number[] = [];
  #series: Uint32Array = new Uint32Array(0);
  /** By value: how many series; where they end in `#series`. */
  readonly #counts: Uint32Array;
  readonly #ends: Uint32Array;

  constructor(symbols: number) {
    this.#counts = new Uint32Array(symbols);
    this.#ends = new Uint32Array(symbols);
  }

  fill({ series, values }: Named): void {
    for (const value of this.values) this.#counts[value] = 0;
    this.values = [];
    for (let i = 0; i < values.length; i++) {
      const value = values.at(i);
      const count = this.#counts[value] ?? 0;
      if (count === 0) this.values.push(value);
      this.#counts[value] = count + 1;
    }
    let end = 0;
    for (const value of this.values) {
      this.#ends[value] = end;
      end += this.#counts[value] ?? 0;
    }
    this.#series = new Uint32Array(series.length);
    for (let i = 0; i < values.length; i++) {
      const value = values.at(i);
      const at = this.#ends[value] ?? 0;
      this.#series[at] = series.at(i);
      this.#ends[value] = at + 1;
    }
  }

  of(value: number): Uint32Array {
    const end = this.#ends[value] ?? 0;
    return this.#series.subarray(end - (this.#counts[value] ?? 0), end);
  }
}

/** @param series places in `references`; without, the references themselves */
async function writeList(
  file: GrowingFile,
  series: Uint32Array,
  references?: Uint32Array,
): Promise<void> {
  await writeSection(file, (body) => {
    body.u32(series.length);
    for (const one of series) body.u32(references === undefined ? one : (references[one] ?? 0));
  });
}

/** `u32 length, body, u32 CRC of the body` */
async function writeSection(file: GrowingFile, write: (body: ByteWriter) => void): Promise<void> {
  const { out } = file;
  const start = out.length;
  out.u32(0);
  write(out);
  const body = out.view(start + 4);
  out.setU32(start, body.length);
  out.u32(crc32c(body));
  if (file.isFull) await file.flush();
}

function writeChunks(out: ByteWriter, chunks: readonly IndexedChunk[]): void {
  out.uvarint(chunks.length);
  let [lastMs, lastNumber] = [0, 0];
  for (const [i, { minTimeMs, maxTimeMs, number }] of chunks.entries()) {
    if (i === 0) out.varint(minTimeMs);
    else out.uvarint(minTimeMs - lastMs);
    out.uvarint(maxTimeMs - minTimeMs);
    if (i === 0) out.uvarint(number);
    else out.varint(number - lastNumber);
    [lastMs, lastNumber] = [maxTimeMs, number];
  }
}

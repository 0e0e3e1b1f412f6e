/**
 * Gives series the label of their cluster where they have none, in batches of any encoding of
 * src/metrics/source.ts. Samples are copied as they are: only labels are looked at.
 *
 *   chunked-read   length │ CRC-32C │ 0a length ┌ labels ─ chunks …
 *   samples        u32 labelBytes, u32 samples │ labels │ padding │ times │ values
 *   stored-chunks  u32 labelBytes, u32 chunkBytes, times │ labels │ chunks │ padding
 *
 * The checksum of a frame follows from the old one, so that a frame that came damaged stays so.
 */
import { blockPlaces, SAMPLES_BLOCK, STORED_SERIES, storedPlaces } from '../columnar/index.ts';
import { encodeLabels, type Batch } from '../metrics/index.ts';
import { crc32c } from '../tsdb/index.ts';
import { combineCrcs } from './combine-crcs.ts';
import { isText, seriesIn, uvarint, uvarintAt, type Series, type Uvarint } from './frame-bytes.ts';

type Room = (bytes: number) => Uint8Array;

/** Tags of prompb: a label of a series, its name and value. */
const [LABEL, NAME, VALUE] = [0x0a, 0x0a, 0x12] as const;
const CRC_BYTES = 4;
const FIRST_BYTES = 1 << 20;
/** Names of other clusters that are remembered. */
const OTHERS_MAX = 5;

/** Blocks with their parts: labels, and what follows them. */
interface Blocks {
  readonly headBytes: number;
  readonly places: (
    at: number,
    labelBytes: number,
    size: number,
  ) => Readonly<Record<'labels' | 'rest' | 'restEnd' | 'end', number>>;
}

const SAMPLES: Blocks = {
  headBytes: SAMPLES_BLOCK.bytes,
  places(at, labelBytes, samples) {
    const { labels, times, end } = blockPlaces(at, labelBytes, samples);
    return { labels, rest: times, restEnd: end, end };
  },
};

const STORED: Blocks = {
  headBytes: STORED_SERIES.bytes,
  places(at, labelBytes, chunkBytes) {
    const { labels, chunks, end } = storedPlaces(at, labelBytes, chunkBytes);
    return { labels, rest: chunks, restEnd: chunks + chunkBytes, end };
  },
};

export class ClusterLabels {
  /** Names of other clusters whose series the store has, too: they keep their label. */
  readonly others: Set<string> = new Set();
  readonly #cluster: Buffer;
  readonly #names: readonly Buffer[];
  /** The label as `encodeLabels` writes it. */
  readonly #label: Uint8Array;
  #out: Uint8Array = new Uint8Array(0);
  #used = 0;

  /** @param names labels that name a cluster; the first is the one that is given */
  constructor(cluster: string, names: readonly string[]) {
    this.#cluster = Buffer.from(cluster);
    this.#names = names.map((name) => Buffer.from(name));
    this.#label = encodeLabels({ [names[0] ?? 'cluster']: cluster });
  }

  /** The batch with labels, in `room`; the same batch where all series have one. */
  give({ encoding, bytes }: Batch, room: Room): Batch {
    this.#used = 0;
    const isChanged = this.#labelAll(encoding, bytes);
    if (!isChanged) return { encoding, bytes };
    const target = room(this.#used);
    target.set(this.#out.subarray(0, this.#used));
    return { encoding, bytes: target };
  }

  #labelAll(encoding: Batch['encoding'], bytes: Uint8Array): boolean {
    switch (encoding) {
      case 'samples':
        return this.#blocks(bytes, SAMPLES);
      case 'stored-chunks':
        return this.#blocks(bytes, STORED);
      case 'chunked-read':
        return this.#frames(bytes);
    }
  }

  #frames(bytes: Uint8Array): boolean {
    let isChanged = false;
    for (let at = 0; at < bytes.length;) {
      const length = uvarintAt(bytes, at);
      const message = length.end + CRC_BYTES;
      const end = message + length.value;
      const all = length.end === 0 ? undefined : seriesIn(bytes, message, end);
      // What is no frame is refused by who decodes it.
      if (all === undefined) {
        this.#append(bytes, at, bytes.length);
        return isChanged;
      }
      const unnamed = all.filter((series) => !this.#isNamed(bytes, series.from, series.end));
      const [first] = unnamed;
      if (first === undefined) this.#append(bytes, at, end);
      else if (all.length === 1) this.#frame(bytes, message, end, first);
      else this.#longFrame(bytes, message, end, unnamed);
      isChanged ||= first !== undefined;
      at = end;
    }
    return isChanged;
  }

  /** Writes the frame of the message [from, end) with one label more. */
  #frame(bytes: Uint8Array, from: number, end: number, series: Series): void {
    const label = this.#label;
    const head = uvarint(series.end - series.from + label.length);
    const before = series.tagAt - from;
    const rest = end - series.from;
    this.#write(uvarint(before + 1 + head.length + label.length + rest));
    const crcAt = this.#used;
    this.#write(NO_CRC);
    const messageAt = this.#used;
    this.#append(bytes, from, series.tagAt + 1);
    this.#write(head);
    this.#write(label);
    const old = crc32c(bytes, from, series.from);
    const own = crc32c(this.#out, messageAt, this.#used);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const crc = combineCrcs((old ^ own) >>> 0, view.getUint32(from - CRC_BYTES), rest);
    this.#append(bytes, series.from, end);
    new DataView(this.#out.buffer).setUint32(crcAt, crc);
  }

  /** The same of a message of several series, which Prometheus does not send, but may. */
  #longFrame(bytes: Uint8Array, from: number, end: number, unnamed: readonly Series[]): void {
    const label = this.#label;
    const heads = unnamed.map((series) => uvarint(series.end - series.from + label.length));
    const length = unnamed.reduce(
      (sum, series, i) =>
        sum + (heads[i]?.length ?? 0) + label.length - (series.from - series.tagAt - 1),
      end - from,
    );
    this.#write(uvarint(length));
    const crcAt = this.#used;
    this.#write(NO_CRC);
    const messageAt = this.#used;
    let at = from;
    for (const [i, series] of unnamed.entries()) {
      this.#append(bytes, at, series.tagAt + 1);
      this.#write(heads[i] ?? NO_CRC);
      this.#write(label);
      at = series.from;
    }
    this.#append(bytes, at, end);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const isWhole = view.getUint32(from - CRC_BYTES) === crc32c(bytes, from, end);
    const crc = crc32c(this.#out, messageAt, this.#used);
    new DataView(this.#out.buffer).setUint32(crcAt, (isWhole ? crc : ~crc) >>> 0);
  }

  #blocks(bytes: Uint8Array, { headBytes, places }: Blocks): boolean {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let isChanged = false;
    for (let at = 0; at < bytes.length;) {
      const isCut = at + headBytes > bytes.length;
      // Both kinds begin with the bytes of labels, and how much follows them.
      const [labelBytes, size] = isCut
        ? [0, 0]
        : [view.getUint32(at, true), view.getUint32(at + 4, true)];
      const old = places(at, labelBytes, size);
      if (isCut || old.end > bytes.length) {
        this.#append(bytes, at, bytes.length);
        return isChanged;
      }
      if (this.#isNamed(bytes, old.labels, old.labels + labelBytes))
        this.#append(bytes, at, old.end);
      else {
        const own = places(this.#used, labelBytes + this.#label.length, size);
        this.#reserve(own.end - this.#used);
        const head = new DataView(this.#out.buffer, this.#used);
        this.#append(bytes, at, old.labels);
        head.setUint32(0, labelBytes + this.#label.length, true);
        this.#write(this.#label);
        this.#append(bytes, old.labels, old.labels + labelBytes);
        this.#pad(own.rest);
        this.#append(bytes, old.rest, old.restEnd);
        this.#pad(own.end);
        isChanged = true;
      }
      at = old.end;
    }
    return isChanged;
  }

  #pad(to: number): void {
    this.#out.fill(0, this.#used, to);
    this.#used = to;
  }

  /** Whether one of the labels in [from, end) names a cluster. */
  #isNamed(bytes: Uint8Array, from: number, end: number): boolean {
    for (let at = from; at < end && bytes[at] === LABEL;) {
      const message = uvarintAt(bytes, at + 1);
      const name = uvarintAt(bytes, message.end + 1);
      at = message.end + message.value;
      if (bytes[message.end] !== NAME || name.end === 0) return true;
      const isOf = this.#names.some((one) => isText(bytes, name.end, name.value, one));
      if (!isOf) continue;
      const value = uvarintAt(bytes, name.end + name.value + 1);
      if (bytes[name.end + name.value] !== VALUE || value.value === 0 || value.end > at) continue;
      if (!isText(bytes, value.end, value.value, this.#cluster)) this.#note(bytes, value);
      return true;
    }
    return false;
  }

  #note(bytes: Uint8Array, { value, end }: Uvarint): void {
    if (this.others.size >= OTHERS_MAX) return;
    this.others.add(
      Buffer.from(bytes.subarray(end, end + value))
        .toString('utf8')
        .slice(0, 80),
    );
  }

  #write(bytes: Uint8Array): void {
    this.#append(bytes, 0, bytes.length);
  }

  #append(bytes: Uint8Array, from: number, end: number): void {
    this.#reserve(end - from);
    this.#out.set(bytes.subarray(from, end), this.#used);
    this.#used += end - from;
  }

  #reserve(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#out.length) return;
    const larger = new Uint8Array(Math.max(FIRST_BYTES, 2 * this.#out.length, needed));
    larger.set(this.#out.subarray(0, this.#used));
    this.#out = larger;
  }
}

const NO_CRC = new Uint8Array(CRC_BYTES);

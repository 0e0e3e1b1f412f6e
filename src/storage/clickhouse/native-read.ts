/** Reads blocks of the Native format (native-write.ts) as they come, a column at a time. */
import { Unavailable } from '../../query/index.ts';
import { CODED, type CodedTexts } from './native-write.ts';
import { refusalIn } from './refusal.ts';

export interface NativeValues {
  readonly name: string;
  readonly values: Float64Array | Uint32Array | BigUint64Array | readonly Uint8Array[] | CodedTexts;
}

export interface ReadBlock {
  readonly rows: number;
  readonly columns: readonly NativeValues[];
}

/** Bytes that are none of a block, or end in the midst of one; for this file alone. */
class NotNative extends Error {}

/**
 * @param what was attempted, for an error that stands behind rows
 * @throws {Refused} where the server ended its rows with an error
 * @throws {Unavailable} where bytes are missing
 */
export async function* nativeBlocks(
  pieces: AsyncIterable<Uint8Array>,
  what: string,
): AsyncGenerator<ReadBlock> {
  const input = new Input(pieces);
  try {
    while (await input.more()) {
      const columnCount = await input.varint();
      const rows = await input.varint();
      const columns: NativeValues[] = [];
      for (let i = 0; i < columnCount; i++) columns.push(await column(input, rows));
      yield { rows, columns };
    }
  } catch (error) {
    if (!(error instanceof NotNative)) throw error;
    const refusal = refusalIn(await input.rest(), what);
    throw refusal ?? new Unavailable(`ClickHouse cannot ${what}: ${error.message}`);
  }
}

async function column(input: Input, rows: number): Promise<NativeValues> {
  const name = Buffer.from(await input.text()).toString();
  const type = Buffer.from(await input.text()).toString();
  if (type === 'Float64') return { name, values: new Float64Array(await input.own(8 * rows)) };
  if (type === 'UInt32') return { name, values: new Uint32Array(await input.own(4 * rows)) };
  if (type === 'UInt64') return { name, values: new BigUint64Array(await input.own(8 * rows)) };
  if (type === 'String') return { name, values: await input.texts(rows) };
  if (type === CODED) return { name, values: await coded(input, rows) };
  throw new NotNative(`a column is of ${type.slice(0, 40)}`);
}

async function coded(input: Input, rows: number): Promise<CodedTexts> {
  await input.u64();
  if (rows === 0) return { codes: new Uint8Array(0), texts: [] };
  const flags = await input.u64();
  if ((flags & 0x100) !== 0) throw new NotNative('a column has a dictionary elsewhere');
  const texts = await input.texts(await input.u64());
  const count = await input.u64();
  if (count !== rows) throw new NotNative(`a column has ${count} of ${rows} codes`);
  const kind = flags & 0xff;
  if (kind === 0) return { texts, codes: new Uint8Array(await input.own(rows)) };
  if (kind === 1) return { texts, codes: new Uint16Array(await input.own(2 * rows)) };
  if (kind === 2) return { texts, codes: new Uint32Array(await input.own(4 * rows)) };
  throw new NotNative('a column has more than 2^32 texts');
}

/** Reads on where the piece at hand ends. */
class Input {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** The end of what was read, for an error that was taken for values. */
  #past: Uint8Array = new Uint8Array(0);

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Whether there is a further byte. */
  async more(): Promise<boolean> {
    while (this.#at === this.#bytes.length) {
      const next = await this.#pieces.next();
      if (next.done === true) return false;
      this.#past = tailOf([this.#past, this.#bytes]);
      this.#bytes = next.value;
      this.#at = 0;
    }
    return true;
  }

  async #byte(): Promise<number> {
    if (!(await this.more())) throw new NotNative('the answer is cut off');
    return this.#bytes[this.#at++] ?? 0;
  }

  async varint(): Promise<number> {
    let value = 0;
    for (let unit = 1; unit < 2 ** 53; unit *= 0x80) {
      const byte = await this.#byte();
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
    }
    throw new NotNative('a number is too long');
  }

  async u64(): Promise<number> {
    return Number(new BigUint64Array(await this.own(8))[0] ?? 0n);
  }

  /** A copy of the next bytes. */
  async own(bytes: number): Promise<ArrayBuffer> {
    const target = room(bytes);
    for (let done = 0; done < bytes;) {
      if (!(await this.more())) throw new NotNative('the answer is cut off');
      const part = this.#bytes.subarray(this.#at, this.#at + bytes - done);
      target.set(part, done);
      this.#at += part.length;
      done += part.length;
    }
    return target.buffer;
  }

  async text(): Promise<Uint8Array> {
    return new Uint8Array(await this.own(await this.varint()));
  }

  /** Texts that lie in the piece at hand are views on it. */
  async texts(count: number): Promise<Uint8Array[]> {
    const texts: Uint8Array[] = [];
    while (texts.length < count) {
      this.#textsAtHand(texts, count);
      if (texts.length < count) texts.push(await this.text());
    }
    return texts;
  }

  #textsAtHand(texts: Uint8Array[], count: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (texts.length < count && at + 3 < bytes.length) {
      const [one = 0, two = 0, three = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
      const start = at + (one < 0x80 ? 1 : two < 0x80 ? 2 : 3);
      if (one >= 0x80 && two >= 0x80 && three >= 0x80) break;
      const length =
        (one & 0x7f) + (one < 0x80 ? 0 : (two & 0x7f) << 7) + (start < at + 3 ? 0 : three << 14);
      if (start + length > bytes.length) break;
      texts.push(bytes.subarray(start, start + length));
      at = start + length;
    }
    this.#at = at;
  }

  /** The end of what was read and what is left, as a text. */
  async rest(): Promise<string> {
    const parts = [this.#past, this.#bytes];
    let bytes = 0;
    for (
      let next = await this.#pieces.next();
      next.done !== true;
      next = await this.#pieces.next()
    ) {
      parts.push(next.value);
      bytes += next.value.length;
      if (bytes > REST_BYTES_MAX) break;
    }
    return tailOf(parts).toString('latin1');
  }
}

function tailOf(parts: readonly Uint8Array[]): Buffer {
  const ends = parts.map((part) => part.subarray(Math.max(0, part.length - TAIL_BYTES)));
  return Buffer.concat(ends).subarray(-TAIL_BYTES);
}

function room(bytes: number): Uint8Array<ArrayBuffer> {
  if (bytes > ROOM_BYTES_MAX) throw new NotNative(`a column has ${bytes} bytes`);
  return new Uint8Array(bytes);
}

/** An error that stands in place of values reads as lengths beyond all measure. */
const ROOM_BYTES_MAX = 2 ** 30;
const REST_BYTES_MAX = 2 ** 20;
const TAIL_BYTES = 16_384;

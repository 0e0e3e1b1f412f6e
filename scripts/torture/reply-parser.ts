/**
 * HTTP/1.1 replies byte by byte, as strictly as RFC 9112 allows: a client library forgives what must
 * not happen, and hides how a body ended.
 */

/** What came is no reply that a client may read on. */
export class Malformed extends Error {}

export interface Head {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

const HEAD_BYTES_MAX = 64 << 10;
const SIZE_LINE_BYTES_MAX = 20;
const CRLF = '\r\n';

/** How the body's end is told. */
type Framing = { readonly kind: 'chunked' } | { readonly kind: 'length'; readonly bytes: number };

/** Reads one reply. */
export class ReplyParser {
  /** Once it is read. */
  head: Head | undefined;
  isDone = false;
  readonly #onBody: (part: Buffer) => void;
  #text = '';
  #framing: Framing | undefined;
  /** Bytes of the body, or of a chunk, that are still to come. */
  #left = 0;
  #state: 'head' | 'size' | 'data' | 'after-data' | 'end' = 'head';

  constructor(onBody: (part: Buffer) => void) {
    this.#onBody = onBody;
  }

  /** @throws {Malformed} */
  add(part: Buffer): void {
    let rest = part;
    while (rest.length > 0) {
      if (this.isDone) throw new Malformed(`${rest.length} bytes after the end`);
      rest = this.#state === 'data' ? this.#takeData(rest) : this.#takeLine(rest);
    }
  }

  #takeData(part: Buffer): Buffer {
    const taken = part.subarray(0, this.#left);
    this.#left -= taken.length;
    this.#onBody(taken);
    if (this.#left === 0) {
      if (this.#framing?.kind === 'chunked') this.#state = 'after-data';
      else this.isDone = true;
    }
    return part.subarray(taken.length);
  }

  /** Up to the next end of a line, or all there is. */
  #takeLine(part: Buffer): Buffer {
    const end = part.indexOf(10);
    const taken = part.subarray(0, end < 0 ? part.length : end + 1);
    this.#text += taken.toString('latin1');
    const limit = this.#state === 'head' ? HEAD_BYTES_MAX : SIZE_LINE_BYTES_MAX;
    if (this.#text.length > limit) throw new Malformed(`${this.#state}: ${told(this.#text)}`);
    if (end >= 0) this.#endLine();
    return part.subarray(taken.length);
  }

  #endLine(): void {
    const text = this.#text;
    if (this.#state === 'head') {
      if (!text.endsWith(CRLF + CRLF)) return;
      this.#text = '';
      this.#begin(text);
      return;
    }
    this.#text = '';
    if (this.#state === 'size') {
      const size = /^([0-9a-fA-F]{1,8})\r\n$/.exec(text)?.[1];
      if (size === undefined) throw new Malformed(`the size of a chunk: ${told(text)}`);
      this.#left = parseInt(size, 16);
      this.#state = this.#left > 0 ? 'data' : 'end';
      return;
    }
    if (text !== CRLF) throw new Malformed(`${this.#state} of a chunk: ${told(text)}`);
    if (this.#state === 'end') this.isDone = true;
    else this.#state = 'size';
  }

  #begin(text: string): void {
    const [line = '', ...lines] = text.slice(0, -4).split(CRLF);
    const status = /^HTTP\/1\.1 (\d{3})( |$)/.exec(line)?.[1];
    if (status === undefined) throw new Malformed(`the status line: ${told(line)}`);
    const headers = new Map<string, string>();
    for (const each of lines) {
      const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/.exec(each) ?? [];
      if (name === '') throw new Malformed(`a header: ${told(each)}`);
      const key = name.toLowerCase();
      if (headers.has(key)) throw new Malformed(`a header twice: ${told(each)}`);
      headers.set(key, value);
    }
    this.head = { status: Number(status), headers };
    this.#framing = framingOf(headers);
    if (this.#framing.kind === 'chunked') this.#state = 'size';
    else {
      this.#left = this.#framing.bytes;
      this.#state = 'data';
      this.isDone = this.#left === 0;
    }
  }
}

function framingOf(headers: ReadonlyMap<string, string>): Framing {
  const [coding, length] = [headers.get('transfer-encoding'), headers.get('content-length')];
  if (coding === 'chunked' && length === undefined) return { kind: 'chunked' };
  if (coding === undefined && length !== undefined && /^\d+$/.test(length)) {
    return { kind: 'length', bytes: Number(length) };
  }
  throw new Malformed(`transfer-encoding ${coding}, content-length ${length}`);
}

function told(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

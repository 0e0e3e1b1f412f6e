/** One request over a socket of its own, read as quickly or as badly as a reader is told to. */
import { connect, type Socket } from 'node:net';
import { createGunzip, type Gunzip } from 'node:zlib';
import { Malformed, ReplyParser, type Head } from './reply-parser.ts';

/** How a reader takes what comes. */
export interface Reading {
  /** What it is called in reports. */
  readonly kind: string;
  /** Bytes on the wire after which it takes nothing for a while, ascending, and for how long. */
  readonly pauses: readonly { readonly afterBytes: number; readonly ms: number }[];
  /** Bytes a second on the wire; absent: as many as come. */
  readonly bytesPerSecond?: number;
  /** It goes after so many bytes on the wire; absent: it reads to the end. */
  readonly leavesAfterBytes?: number;
}

export const STEADY: Reading = { kind: 'steady', pauses: [] };

export interface Request {
  readonly path: string;
  readonly acceptsGzip: boolean;
  readonly reading: Reading;
  /** Asks for something short on the same connection then: what stands between shows wrong lengths. */
  readonly goesOn?: boolean;
}

/** What came of a request. */
export interface Reply {
  /** Absent: nothing came, or what came is no head. */
  readonly head: Head | undefined;
  /**
   * `whole`: the body ended as its framing says; `cut`: the connection ended before; `left`: the
   * reader went; `malformed`: bytes that no client may take for a reply; `late`: nothing came for too
   * long.
   */
  readonly end: 'whole' | 'cut' | 'left' | 'malformed' | 'late';
  readonly reason: string;
  /** On the wire, the head included. */
  readonly wireBytes: number;
  readonly firstByteMs: number;
}

const NEXT_PATH = '/healthz';
/** Nothing came for so long. */
const SILENCE_MS = 60_000;

/**
 * @param onBody takes the body, decoded
 * @returns what came; never throws
 */
export function ask(
  origin: string,
  { path, acceptsGzip, reading, goesOn = false }: Request,
  onBody: (part: Uint8Array) => void,
): Promise<Reply> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const beganMs = performance.now();
    const decoder = new BodyDecoder(onBody);
    const parser = new ReplyParser((part) => decoder.add(part, parser.head));
    const next = new ReplyParser(() => undefined);
    const socket = connect(Number(port), hostname);
    const pacer = new Pacer(socket, reading);
    let firstByteMs = NaN;
    let isEnded = false;
    const end = (how: Reply['end'], reason: string): void => {
      if (isEnded) return;
      isEnded = true;
      pacer.stop();
      socket.destroy();
      void decoder.end(how === 'whole').then((fault) => {
        const base = { head: parser.head, wireBytes: pacer.bytes, firstByteMs };
        resolve(fault === undefined ? { ...base, end: how, reason } : { ...base, ...fault });
      });
    };
    const endNext = (): void => {
      const status = next.head?.status;
      if (status === 200) end('whole', '');
      else end('malformed', `the next reply has status ${status}`);
    };
    socket.setTimeout(SILENCE_MS, () => {
      if (!pacer.isPausing) end('late', `nothing came for ${SILENCE_MS} ms`);
    });
    socket.on('data', (part) => {
      if (isEnded) return;
      if (pacer.bytes === 0) firstByteMs = performance.now() - beganMs;
      const isNext = parser.isDone;
      try {
        (isNext ? next : parser).add(part);
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
        return end('malformed', `${isNext ? 'the next reply: ' : ''}${error.message}`);
      }
      if (next.isDone) return endNext();
      if (parser.isDone && !isNext) {
        if (!goesOn) return end('whole', '');
        socket.write(requestText(hostname, NEXT_PATH, false));
      }
      if (!isNext && !pacer.add(part.length)) end('left', 'the reader went');
    });
    // Whoever has a whole answer may lose the connection before the next one.
    const lose = (reason: string): void => end(parser.isDone ? 'whole' : 'cut', reason);
    socket.on('error', (error) => lose(error.message));
    socket.on('close', () => lose('the connection ended'));
    socket.write(requestText(hostname, path, acceptsGzip));
  });
}

function requestText(host: string, path: string, acceptsGzip: boolean): string {
  const coding = acceptsGzip ? 'gzip' : 'identity';
  return `GET ${path} HTTP/1.1\r\nhost: ${host}\r\naccept-encoding: ${coding}\r\n\r\n`;
}

/** Stops and starts a socket as a reading says. */
class Pacer {
  bytes = 0;
  isPausing = false;
  readonly #socket: Socket;
  readonly #reading: Reading;
  readonly #beganMs: number = performance.now();
  #pauses = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, reading: Reading) {
    this.#socket = socket;
    this.#reading = reading;
  }

  /** @returns whether the reader stays */
  add(bytes: number): boolean {
    this.bytes += bytes;
    const { leavesAfterBytes = Infinity, bytesPerSecond, pauses } = this.#reading;
    if (this.bytes >= leavesAfterBytes) return false;
    const next = pauses[this.#pauses];
    if (next !== undefined && this.bytes >= next.afterBytes) {
      this.#pauses++;
      this.#pause(next.ms);
    } else if (bytesPerSecond !== undefined) {
      const dueMs = this.#beganMs + (1000 * this.bytes) / bytesPerSecond;
      if (dueMs > performance.now() + 5) this.#pause(dueMs - performance.now());
    }
    return true;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #pause(ms: number): void {
    this.isPausing = true;
    this.#socket.pause();
    this.#timer = setTimeout(() => {
      this.isPausing = false;
      this.#socket.resume();
    }, ms);
  }
}

/** Undoes gzip where the head says so. */
class BodyDecoder {
  readonly #onBody: (part: Uint8Array) => void;
  #gunzip: Gunzip | undefined;
  #failure: Error | undefined;

  constructor(onBody: (part: Uint8Array) => void) {
    this.#onBody = onBody;
  }

  add(part: Buffer, head: Head | undefined): void {
    const coding = head?.headers.get('content-encoding');
    if (coding === undefined) return this.#onBody(part);
    if (coding !== 'gzip') throw new Malformed(`content-encoding ${coding}`);
    this.#gunzip ??= this.#open();
    // A copy: the socket uses its memory again.
    if (this.#failure === undefined) this.#gunzip.write(Buffer.from(part));
  }

  /** @returns what is wrong with the coding of a body that is whole on the wire */
  async end(isWhole: boolean): Promise<Pick<Reply, 'end' | 'reason'> | undefined> {
    const gunzip = this.#gunzip;
    if (gunzip === undefined) return undefined;
    await new Promise<void>((resolve) => {
      if (this.#failure !== undefined) return resolve();
      gunzip.once('end', resolve).once('close', resolve).end();
    });
    const failure = this.#failure;
    if (!isWhole || failure === undefined) return undefined;
    const isCut = failure.message === 'unexpected end of file';
    return { end: isCut ? 'cut' : 'malformed', reason: `gzip: ${failure.message}` };
  }

  #open(): Gunzip {
    const gunzip = createGunzip({ chunkSize: 256 << 10 });
    gunzip.on('data', (part: Buffer) => this.#onBody(part));
    gunzip.on('error', (error) => (this.#failure = error));
    return gunzip;
  }
}

/** Compresses answers with gzip for clients that accept it, outside of the main thread as they stream. */
import { promisify } from 'node:util';
import { createGzip, gzip, type Gzip, type ZlibOptions } from 'node:zlib';
import { acceptsGzip } from './accept-encoding.ts';
import type { HttpHandler, HttpReply, HttpRequest } from './server.ts';

/** Shorter answers gain nothing. */
const LEAST_BYTES = 1024;
/** The fastest level, with 128 KiB of state for each stream instead of 256. */
const OPTIONS: ZlibOptions = { level: 1, windowBits: 14, memLevel: 7, chunkSize: 64 << 10 };
const TEXT = /^(text\/|application\/(json|x-ndjson)\b)/;
/** The end of a compressed answer's entity tag, as it has other bytes. */
const SUFFIX = '-gzip"';

const compressed = promisify<Uint8Array, ZlibOptions, Buffer>(gzip);

/** Compressed bytes of cached answers by their plain bytes. */
export interface CompressedBytes {
  get(plain: Uint8Array): Uint8Array | undefined;
  set(plain: Uint8Array, compressed: Uint8Array): void;
}

const NOTHING_KEPT: CompressedBytes = { get: () => undefined, set: () => undefined };

/**
 * The handler with texts of 1 KiB and more compressed for clients that accept it.
 * @param kept where compressed bytes of cached answers stay, as those are sent again
 */
export function compressing(
  handler: HttpHandler,
  kept: CompressedBytes = NOTHING_KEPT,
): HttpHandler {
  return (request) => {
    if (!acceptsGzip(request.header('accept-encoding'))) {
      const reply = handler(request);
      return reply instanceof Promise ? reply.then(varied) : varied(reply);
    }
    const isKnown = request.header('if-none-match').includes(SUFFIX);
    const reply = handler(isKnown ? withPlainTags(request) : request);
    if (reply instanceof Promise) {
      return reply.then((late) => compressedReply(late, isKnown, kept));
    }
    return keptReply(reply, kept) ?? compressedReply(reply, isKnown, kept);
  };
}

/** A cached answer that was compressed before: its headers are frozen, as they are sent again. */
function keptReply(
  { status, headers, body }: HttpReply,
  kept: CompressedBytes,
): HttpReply | undefined {
  if (status !== 200 || !(body instanceof Uint8Array) || !Object.isFrozen(headers))
    return undefined;
  const bytes = kept.get(body);
  if (bytes === undefined) return undefined;
  let own = ENCODED.get(headers);
  if (own === undefined) {
    own = Object.freeze({ ...encoded(varied({ status, headers, body }), bytes).headers });
    ENCODED.set(headers, own);
  }
  return { status, headers: own, body: bytes };
}

async function compressedReply(
  plain: HttpReply,
  isKnown: boolean,
  kept: CompressedBytes,
): Promise<HttpReply> {
  const cached = keptReply(plain, kept);
  if (cached) return cached;
  const reply = varied(plain);
  // A request with the tag of the compressed answer is answered with that tag.
  if (reply.status === 304) return isKnown ? tagged(reply) : reply;
  if (reply.status !== 200 || !isText(reply)) return reply;
  // Compressed when it was built.
  if (reply.headers['content-encoding'] !== undefined) return tagged(reply);
  const { body } = reply;
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    return encoded(reply, gzipChunks(body));
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (bytes.length < LEAST_BYTES) return reply;
  const short = await compressed(bytes, OPTIONS);
  if (Object.isFrozen(plain.headers) && body instanceof Uint8Array) kept.set(body, short);
  return encoded(reply, short);
}

function isText({ headers }: HttpReply): boolean {
  return TEXT.test(headers['content-type'] ?? '');
}

type Headers = HttpReply['headers'];

/** Results for headers that do not change. */
const VARIED: WeakMap<Headers, Headers> = new WeakMap();
const ENCODED: WeakMap<Headers, Headers> = new WeakMap();

function varied(reply: HttpReply): HttpReply {
  if (!isText(reply)) return reply;
  const known = VARIED.get(reply.headers);
  if (known !== undefined) return { ...reply, headers: known };
  const { vary } = reply.headers;
  const names = vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`;
  const headers = { ...reply.headers, vary: names };
  if (Object.isFrozen(reply.headers)) VARIED.set(reply.headers, Object.freeze(headers));
  return { ...reply, headers };
}

function encoded(reply: HttpReply, body: HttpReply['body']): HttpReply {
  const { headers } = tagged(reply);
  return { ...reply, headers: { ...headers, 'content-encoding': 'gzip' }, body };
}

function tagged(reply: HttpReply): HttpReply {
  const { etag } = reply.headers;
  if (etag === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, etag: etag.replace(/"$/, SUFFIX) } };
}

/** The request with the tags of uncompressed answers. */
function withPlainTags(request: HttpRequest): HttpRequest {
  return {
    method: request.method,
    path: request.path,
    query: request.query,
    body: request.body,
    visit: request.visit,
    get signal() {
      return request.signal;
    },
    header(name) {
      const value = request.header(name);
      return name === 'if-none-match' ? value.replaceAll(SUFFIX, '"') : value;
    },
  };
}

type Source = AsyncIterator<Uint8Array, unknown, boolean>;
type Chunks = AsyncGenerator<Uint8Array, void, boolean | undefined>;

function gzipChunks(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const source: Source = body[Symbol.asyncIterator]();
      const chunks = compressedChunks(source);
      let hasBegun = false;
      return {
        next(wasTaken?: boolean) {
          hasBegun = true;
          return chunks.next(wasTaken);
        },
        async return() {
          // A generator that never ran does not run its `finally`.
          if (!hasBegun) await source.return?.();
          return await chunks.return();
        },
      };
    },
  };
}

/** Requests a chunk from the source once all output of the chunks before was taken. */
async function* compressedChunks(source: Source): Chunks {
  const stream = createGzip(OPTIONS);
  const output: Buffer[] = [];
  stream.on('data', (part: Buffer) => output.push(part));
  let hasEnded = false;
  try {
    let wasTaken = true;
    for (let step = await source.next(true); ; step = await source.next(wasTaken)) {
      hasEnded = step.done === true;
      await passed(stream, step.done === true ? undefined : step.value);
      wasTaken = true;
      for (let part = output.shift(); part !== undefined; part = output.shift()) {
        wasTaken = (yield part) !== false && wasTaken;
      }
      if (hasEnded) return;
    }
  } finally {
    stream.destroy();
    if (!hasEnded) await source.return?.();
  }
}

/** Resolves when the stream has read the chunk; without a chunk, when all output has been read. */
async function passed(stream: Gzip, chunk: Uint8Array | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: Error | null): void => (error ? reject(error) : resolve());
    stream.once('error', reject);
    if (chunk !== undefined) stream.write(chunk, settle);
    else stream.once('end', settle).end();
  }).finally(() => stream.removeAllListeners('error'));
}

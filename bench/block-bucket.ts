/** A folder as a bucket of S3, for who signs nothing; and the parts that were asked for, to be downloaded bare. */
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Download } from './download.ts';

export interface BlockBucket {
  readonly origin: string;
  /** What was read of files since the last time. */
  takeReads(): Download[];
  close(): void;
}

/** What lies between a server and the bucket, of all requests together. */
export interface Link {
  readonly firstByteMs: number;
  readonly bytesPerS: number;
}

const RANGE = /^bytes=(\d+)-(\d+)$/;

/** @param link absent: as fast as loopback is */
export async function serveBucket(folder: string, link?: Link): Promise<BlockBucket> {
  let reads: Download[] = [];
  let origin = '';
  const send = link === undefined ? undefined : sender(link);
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', origin);
    if (url.searchParams.has('list-type')) {
      response.end(listOf(folder, url.searchParams.get('prefix') ?? ''));
      return;
    }
    const path = join(folder, decodeURIComponent(url.pathname).split('/').slice(2).join('/'));
    const bare = url.searchParams.get('part');
    const [, from, to] = (RANGE.exec(bare ?? request.headers.range ?? '') ?? []).map(Number);
    const size = statSync(path).size;
    const [start, end] = [from ?? 0, Math.min(to ?? size - 1, size - 1)];
    if (bare === null)
      reads.push({ method: 'GET', origin, path: `${url.pathname}?part=bytes=${start}-${end}` });
    response.writeHead(bare === null && from !== undefined ? 206 : 200, {
      'content-length': end - start + 1,
      'content-range': `bytes ${start}-${end}/${size}`,
    });
    const part = createReadStream(path, { start, end, highWaterMark: send ? PACE_BYTES : 1 << 20 });
    if (send) void send(part, response);
    else part.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const takeReads = (): Download[] => {
    const taken = reads;
    reads = [];
    return taken;
  };
  return { origin, takeReads, close: () => void server.close() };
}

/** Bytes that are sent at a time over a link. */
const PACE_BYTES = 64 * 1024;
/** Timers are no finer than that. */
const LEAST_PAUSE_MS = 2;

/** Sends parts of files so that all together keep to the link's rate. */
function sender({ firstByteMs, bytesPerS }: Link) {
  let freeAtMs = 0;
  return async (part: AsyncIterable<Buffer>, response: ServerResponse): Promise<void> => {
    await pause(firstByteMs);
    for await (const bytes of part) {
      const nowMs = performance.now();
      freeAtMs = Math.max(nowMs, freeAtMs) + (1000 * bytes.length) / bytesPerS;
      if (freeAtMs - nowMs > LEAST_PAUSE_MS) await pause(freeAtMs - nowMs);
      response.write(bytes);
    }
    response.end();
  };
}

function listOf(folder: string, prefix: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ key: path.slice(folder.length + 1), size: statSync(path).size }))
    .filter(({ key }) => key.startsWith(prefix));
  const contents = files.map(
    ({ key, size }) =>
      `<Contents><Key>${key}</Key><Size>${size}</Size><ETag>"1"</ETag><LastModified>2024-01-01T00:00:00Z</LastModified></Contents>`,
  );
  return `<ListBucketResult>${contents.join('')}</ListBucketResult>`;
}

/** The child of stream.ts: the same front end with an answer of given length from one MiB of memory. */
import { loadFrontEnd, stream } from '../src/http/index.ts';

const MEMORY = Buffer.alloc(
  1 << 20,
  'production-eu/ip-10-0-1.eu-central-1.compute.internal,1.25\n',
);

async function* chunks(bytes: number): AsyncGenerator<Uint8Array> {
  for (let left = bytes; left > 0; left -= MEMORY.length) {
    yield MEMORY.subarray(0, Math.min(left, MEMORY.length));
    await Promise.resolve();
  }
}

/** Answers `/?<bytes>`. */
const frontEnd = await loadFrontEnd('uws');
const server = frontEnd(({ query }) => stream('text/csv', chunks(Number(query))));
process.send?.(await server.listen('127.0.0.1', 0));

/** Compressed files as the bytes that were packed, and no more of them than any bill has. */
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Fault } from '../../query/index.ts';
import { chunksOf, readFrom, type ReadBytes } from './bytes.ts';
import { unzstd } from './zstd.ts';

/** Rows that differ in an hour alone shrink to a fiftieth; packers can do a ten-thousandth. */
const EXPANSION_MAX = 300;
const EXPANSION_FROM_BYTES = 16 * 2 ** 20;

type Unpack = (packed: AsyncGenerator<Uint8Array>) => AsyncIterable<Uint8Array>;

export function gunzipped(packed: ReadBytes, name: string): ReadBytes {
  return unpackedBy(packed, name, 'gzip', async function* (chunks) {
    const gunzip = createGunzip();
    // What fails is thrown where the plain bytes are read.
    pipeline(Readable.from(chunks), gunzip, () => undefined);
    yield* gunzip as AsyncIterable<Uint8Array>;
  });
}

export function unpackedZstd(packed: ReadBytes, name: string): ReadBytes {
  return unpackedBy(packed, name, 'zstd', unzstd);
}

function unpackedBy(packed: ReadBytes, name: string, form: string, unpack: Unpack): ReadBytes {
  let [packedBytes, bytes] = [0, 0];
  const counted: ReadBytes = async (target) => {
    const count = await packed(target);
    packedBytes += count;
    return count;
  };
  const read = readFrom(unpack(chunksOf(counted)));
  return async (target) => {
    const count = await damaged(`${name} is damaged, as ${form}`, () => read(target));
    bytes += count;
    if (bytes > EXPANSION_FROM_BYTES && bytes > EXPANSION_MAX * packedBytes) {
      throw new Fault(`${name} grows to more than ${EXPANSION_MAX} times its size: no bill does`);
    }
    return count;
  };
}

async function damaged<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Fault(`${what}: ${reason}`, { cause });
  }
}

/** CRC-32 (that of zip and zlib), by a kernel where there is much to sum. */
import { crc32 } from 'node:zlib';
import type { Engine } from './kernels.ts';

/** CRC-32 of the bytes; those in the arena may be a kernel's. */
export type Checksum = (bytes: Uint8Array) => number;

/** Bytes from which the kernel is faster than Node's tables, by 2.5 times where there are many. */
const LEAST_BYTES = 32_768;

/** Where the kernel leaves what it came to, as in workers/kernels/crc32.ts. */
const RESULT = 9600;

/** Of one thread. */
export function checksumOf({ arena, kernels, foldRoom }: Engine): Checksum {
  return (bytes) => {
    if (bytes.length < LEAST_BYTES || bytes.buffer !== arena.buffer) return crc32(bytes);
    const length = kernels.foldCrc32(bytes.byteOffset, bytes.length, foldRoom) >>> 0;
    return crc32(arena.u8(foldRoom + RESULT, length));
  };
}

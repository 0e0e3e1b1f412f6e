/** CRC-32 (that of zip and zlib), by a kernel for long bytes. */
import { crc32 } from 'node:zlib';
import type { Engine } from '../kernels.ts';
import { FOLDED_AT } from './layout/constants.ts';

/** CRC-32 of the bytes; those in the arena may be a kernel's. */
export type Checksum = (bytes: Uint8Array) => number;

/** From this length on the kernel is faster than Node's tables. */
const LEAST_BYTES = 32_768;

/** The checksum of one thread. */
export function checksumOf({ arena, kernels, foldRoom }: Engine): Checksum {
  return (bytes) => {
    if (bytes.length < LEAST_BYTES || bytes.buffer !== arena.buffer) return crc32(bytes);
    const length = kernels.foldCrc32(bytes.byteOffset, bytes.length, foldRoom) >>> 0;
    return crc32(arena.u8(foldRoom + FOLDED_AT, length));
  };
}

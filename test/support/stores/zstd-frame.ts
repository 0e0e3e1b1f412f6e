/** Zstandard frames of plain blocks (RFC 8878, 3.1.1), as nothing on Node 20 packs them. */
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** No content size, no checksum; a window of 128 KiB. */
const HEADER = [0x00, 0x38];
const BLOCK_BYTES = 128 * 1024;
const RAW = 0;
const RLE = 1;

export function zstdFrame(content: Uint8Array): Buffer {
  const parts: Uint8Array[] = [Buffer.from([...MAGIC, ...HEADER])];
  for (let at = 0; at === 0 || at < content.length; at += BLOCK_BYTES) {
    const block = content.subarray(at, at + BLOCK_BYTES);
    const isLast = at + BLOCK_BYTES >= content.length;
    parts.push(blockHeader(RAW, block.length, isLast), block);
  }
  return Buffer.concat(parts);
}

/** So many blocks of one byte repeated, four bytes each. */
export function zstdBomb(blocks: number): Buffer {
  const repeated = Buffer.from('x');
  const parts = Array.from({ length: blocks }, (_, i) => [
    blockHeader(RLE, BLOCK_BYTES, i === blocks - 1),
    repeated,
  ]);
  return Buffer.concat([Buffer.from([...MAGIC, ...HEADER]), ...parts.flat()]);
}

function blockHeader(type: number, bytes: number, isLast: boolean): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((bytes << 3) | (type << 1) | (isLast ? 1 : 0), 0, 3);
  return header;
}

/**
 * Usage of containers that no fact named (best-effort containers of a store without container
 * facts; pods that kube-state-metrics never saw): kept as samples until all is read, then given a
 * ledger of their own. Rare, and bounded by the arena.
 */
import type { Arena, ArenaBatch, Block, Owner, Piece } from '../columnar/index.ts';

const BLOCK_BYTES = 256 * 1024;

/** Appends the piece to `blocks` in the `samples` encoding of src/metrics/source.ts. */
export function keepPiece(arena: Arena, owner: Owner, blocks: Block[], piece: Piece): void {
  const labelBytes = Math.ceil(piece.labelBytes / 8) * 8;
  const bytes = 8 + labelBytes + 16 * piece.samples;
  let block = blocks.at(-1);
  if (!block || block.usedBytes + bytes > block.bytes) {
    const size = Math.max(BLOCK_BYTES, bytes);
    block = { address: arena.allocate(size, owner), bytes: size, usedBytes: 0 };
    blocks.push(block);
  }
  const at = block.address + block.usedBytes;
  arena.u32(at, 2).set([piece.labelBytes, piece.samples]);
  const labels = arena.u8(at + 8, labelBytes);
  labels.fill(0);
  labels.set(arena.u8(piece.labels, piece.labelBytes));
  const samplesAt = at + 8 + labelBytes;
  arena.u8(samplesAt, 8 * piece.samples).set(arena.u8(piece.timestamps, 8 * piece.samples));
  arena
    .u8(samplesAt + 8 * piece.samples, 8 * piece.samples)
    .set(arena.u8(piece.values, 8 * piece.samples));
  block.usedBytes += bytes;
}

/** Blocks of pieces, to be read again. */
export function batchesOf(blocks: readonly Block[]): ArenaBatch[] {
  return blocks.map(({ address, usedBytes }) => ({
    address,
    bytes: usedBytes,
    encoding: 'samples',
  }));
}

/**
 * Usage of containers that no fact named (best-effort containers of a store without container
 * facts; pods that kube-state-metrics never saw): kept as samples until all is read, then given a
 * ledger of their own. Rare, and bounded by the arena.
 */
import {
  blockPlaces,
  fillStruct,
  SAMPLES_BLOCK,
  type Arena,
  type ArenaBatch,
  type Block,
  type Owner,
  type Piece,
} from '../../columnar/index.ts';

const BLOCK_BYTES = 256 * 1024;

/** Appends the piece to `blocks` in the `samples` encoding of src/metrics/source.ts. */
export function keepPiece(arena: Arena, owner: Owner, blocks: Block[], piece: Piece): void {
  const { labelBytes, samples } = piece;
  const bytes = blockPlaces(0, labelBytes, samples).end;
  let block = blocks.at(-1);
  if (!block || block.usedBytes + bytes > block.bytes) {
    const size = Math.max(BLOCK_BYTES, bytes);
    block = { address: arena.allocate(size, owner), bytes: size, usedBytes: 0 };
    blocks.push(block);
  }
  const at = block.address + block.usedBytes;
  const { labels, times, values } = blockPlaces(at, labelBytes, samples);
  const copy = (from: number, to: number, length: number): void =>
    arena.u8(to, length).set(arena.u8(from, length));
  fillStruct(arena, at, SAMPLES_BLOCK, { labelBytes, samples });
  arena.u8(labels, times - labels).fill(0);
  copy(piece.labels, labels, labelBytes);
  copy(piece.timestamps, times, 8 * samples);
  copy(piece.values, values, 8 * samples);
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

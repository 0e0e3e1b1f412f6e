/**
 * Pieces of usage series that wait in the arena until all is read: of containers that no fact named,
 * and of counters in parts. Rare, and bounded by the arena.
 */
import {
  blockPlaces,
  fillStruct,
  SAMPLES_BLOCK,
  structAt,
  type Arena,
  type ArenaBatch,
  type Block,
  type Owner,
  type Piece,
} from '../../columnar/index.ts';

const BLOCK_BYTES = 256 * 1024;

/** Appends a copy of the piece to `blocks` in the `samples` encoding of src/metrics/source.ts. */
export function storePiece(arena: Arena, owner: Owner, blocks: Block[], piece: Piece): void {
  const { labelBytes, samples } = piece;
  const copy = appendPiece(arena, owner, blocks, { labelBytes, samples });
  arena.u8(copy.labels, labelBytes).set(arena.u8(piece.labels, labelBytes));
  arena.u8(copy.timestamps, 8 * samples).set(arena.u8(piece.timestamps, 8 * samples));
  arena.u8(copy.values, 8 * samples).set(arena.u8(piece.values, 8 * samples));
}

/** Makes room for a piece in `blocks`; the caller fills it. */
export function appendPiece(
  arena: Arena,
  owner: Owner,
  blocks: Block[],
  { labelBytes, samples }: Pick<Piece, 'labelBytes' | 'samples'>,
): Piece {
  const bytes = blockPlaces(0, labelBytes, samples).end;
  let block = blocks.at(-1);
  if (!block || block.usedBytes + bytes > block.bytes) {
    const size = Math.max(BLOCK_BYTES, bytes);
    block = { address: arena.allocate(size, owner), bytes: size, usedBytes: 0 };
    blocks.push(block);
  }
  const at = block.address + block.usedBytes;
  const { labels, times, values } = blockPlaces(at, labelBytes, samples);
  fillStruct(arena, at, SAMPLES_BLOCK, { labelBytes, samples });
  arena.u8(labels, times - labels).fill(0);
  block.usedBytes += bytes;
  return { labels, labelBytes, timestamps: times, values, samples };
}

/** The pieces of `blocks`, in the order in which they were appended. */
export function* piecesOf(arena: Arena, blocks: readonly Block[]): Generator<Piece> {
  for (const { address, usedBytes } of blocks) {
    for (let at = address; at < address + usedBytes;) {
      const { labelBytes, samples } = structAt(arena, at, SAMPLES_BLOCK);
      const { labels, times, values, end } = blockPlaces(at, labelBytes, samples);
      yield { labels, labelBytes, timestamps: times, values, samples };
      at = end;
    }
  }
}

/** Blocks of pieces, to be read again. */
export function batchesOf(blocks: readonly Block[]): ArenaBatch[] {
  return blocks.map(({ address, usedBytes }) => ({
    address,
    bytes: usedBytes,
    encoding: 'samples',
  }));
}

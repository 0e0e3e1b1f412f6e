/** Zstandard (RFC 8878), unpacked by fzstd: the only file that knows the package. */
import { Fault } from '../../query/index.ts';

/** Bytes that one chunk may unpack to; chunks are small, and an honest one becomes a hundredth of this. */
const PIECES_BYTES_MAX = 64 * 2 ** 20;

/** @throws what fzstd throws for damaged data */
export async function* unzstd(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { Decompress } = await import('fzstd');
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  const stream = new Decompress((piece) => {
    bytes += piece.length;
    if (bytes > PIECES_BYTES_MAX) throw new Fault('zstd data that grow so fast are no bill');
    pieces.push(piece);
  });
  const taken = (): Uint8Array[] => {
    const all = pieces;
    [pieces, bytes] = [[], 0];
    return all;
  };
  let last: Uint8Array | undefined;
  for await (const chunk of packed) {
    if (last !== undefined) stream.push(last);
    yield* taken();
    last = chunk;
  }
  stream.push(last ?? new Uint8Array(0), true);
  yield* taken();
}

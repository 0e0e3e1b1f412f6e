/** Texts that a worker wrote, as one stream. */
import { withOwnerWhile, type OwnedMemory, type Owner } from '../../columnar/index.ts';
import type { WrittenText } from './written-text.ts';

export interface TextChunks {
  readonly head: string;
  /** @param owner owns all texts; it is freed after the last chunk */
  readonly write: (owner: Owner) => Promise<readonly WrittenText[]>;
  readonly tail: string;
}

const CHUNK_BYTES = 2 ** 20;

/** The texts with commas between them; a chunk is valid until the next is requested. */
export function textChunks(
  memory: OwnedMemory,
  { head, write, tail }: TextChunks,
): AsyncGenerator<Uint8Array, void> {
  const { arena } = memory;
  return withOwnerWhile(memory, async function* (owner): AsyncGenerator<Uint8Array, void> {
    const texts = await write(owner);
    let before = head;
    for (const pieces of texts) {
      yield Buffer.from(before);
      for (const { address, bytes } of pieces) {
        for (let at = 0; at < bytes; at += CHUNK_BYTES) {
          yield arena.u8(address + at, Math.min(CHUNK_BYTES, bytes - at));
        }
      }
      before = ',';
    }
    yield Buffer.from(texts.length === 0 ? head + tail : tail);
  });
}

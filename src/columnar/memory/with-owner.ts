/** Memory of the arena for the duration of some work. */
import type { Arena, Owner } from './arena.ts';
import type { Owners } from './owners.ts';

export interface OwnedMemory {
  readonly arena: Arena;
  readonly owners: Owners;
}

/** Runs `work` with a new owner, which is freed at its end, also after an error. */
export async function withOwner<Result>(
  { owners }: OwnedMemory,
  work: (owner: Owner) => Promise<Result>,
): Promise<Result> {
  const owner = owners.take();
  try {
    return await work(owner);
  } finally {
    owners.free(owner);
  }
}

/** Chunks that are made with a new owner, which is freed after the last of them, also after an error. */
export async function* withOwnerWhile<Chunk, Next>(
  { owners }: Pick<OwnedMemory, 'owners'>,
  chunks: (owner: Owner) => AsyncGenerator<Chunk, void, Next>,
): AsyncGenerator<Chunk, void, Next> {
  const owner = owners.take();
  try {
    yield* chunks(owner);
  } finally {
    owners.free(owner);
  }
}

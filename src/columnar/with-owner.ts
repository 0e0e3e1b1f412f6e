/** Memory of the arena that is held as long as some work goes on. */
import type { Arena, Owner } from './arena.ts';
import type { Owners } from './owners.ts';

export interface OwnedMemory {
  readonly arena: Arena;
  readonly owners: Owners;
}

/** Runs `work` with an owner of its own, all of whose memory is free again at its end, however it ends. */
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

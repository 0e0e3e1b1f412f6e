/** Caches of stored sets and answers, and their sizes. */
import {
  AnswerCache,
  CachedCharges,
  GroupedSets,
  HotSets,
  WrittenSets,
  type SetCaches,
  type StoredRouteOptions,
} from '../allocation/index.ts';
import { Cache, type CacheState } from '../cache/index.ts';
import type { CompressedBytes } from '../http/index.ts';
import { NEVER, createAdmission, type Admission } from '../pool/index.ts';
import type { MemoryBudget } from '../settings/memory-budget.ts';
import type { Engine, EngineCompute } from './engine.ts';

/** Share of the arena in which stored sets stay once they were read. */
const HOT_SHARE = 0.4;
/** Share of it for sets of single containers that answers are written from. */
const WRITTEN_SHARE = 0.25;
/** Share of it for aggregated sets. */
const GROUPED_SHARE = 0.1;

/** A longer answer is streamed, and stays once it was read. */
export const ANSWER_MAX_BYTES: number = 64 * 2 ** 10;

/** Answers that are too long to be cached wait so long for their turn to be streamed. */
const STREAMS = { lane: 'long answers', waiting: 256, waitMs: 10_000 };

/** Bytes of each cache; 0: nothing stays once it was used. */
export type CacheBytes = Readonly<Record<keyof SetCaches, number>>;

/** Those of a server. */
export function servedBytes({ compute, memory }: Engine): CacheBytes {
  const { capacityBytes } = compute.arena;
  return {
    hot: HOT_SHARE * capacityBytes,
    written: WRITTEN_SHARE * capacityBytes,
    grouped: GROUPED_SHARE * capacityBytes,
    charges: memory.chargesBytes,
  };
}

/** @param signal ends reading for all requests */
export function openCaches(
  compute: EngineCompute,
  bytes: CacheBytes,
  signal: AbortSignal = NEVER,
): SetCaches {
  const { arena, owners, pool, room } = compute;
  const hot = openHotSets(compute, bytes.hot, signal);
  const written = new WrittenSets({ arena, owners, budgetBytes: bytes.written });
  const grouped = new GroupedSets({ arena, owners, budgetBytes: bytes.grouped });
  const charges = new CachedCharges({ arena, owners, pool, budgetBytes: bytes.charges });
  for (const cache of [hot, grouped, written, charges]) room.canClear(() => cache.clear());
  return { hot, written, grouped, charges };
}

export function openHotSets(
  { arena, owners, pool }: EngineCompute,
  budgetBytes: number,
  signal: AbortSignal,
): HotSets {
  return new HotSets({
    arena,
    owners,
    budgetBytes,
    read: (stored, owner, columns) => pool.run('readColumns', { stored, owner, columns }, signal),
  });
}

/** Share of the answers' memory that is for compressed ones, of which each has an eighth of its plain bytes. */
const COMPRESSED_SHARE = 0.25;

/** Compressed bytes of cached answers, as long as those stay. */
export function openCompressed({
  answersBytes,
}: MemoryBudget): CompressedBytes & { readonly state: CacheState } {
  const names = new WeakMap<Uint8Array, string>();
  let named = 0;
  const known = new Cache<Uint8Array>({
    budget: COMPRESSED_SHARE * answersBytes,
    sizeOf: (bytes, name) => bytes.length + name.length,
  });
  return {
    get state() {
      return known.state;
    },
    get(plain) {
      const name = names.get(plain);
      return name === undefined ? undefined : known.get(name);
    },
    set(plain, compressed) {
      const name = names.get(plain) ?? String(named++);
      names.set(plain, name);
      known.set(name, compressed);
    },
  };
}

/** @param admission of computations, and of those that take little */
export function openAnswers(
  { streams, answersBytes }: MemoryBudget,
  admission: Admission,
  cheap: Admission = admission,
): StoredRouteOptions['answers'] {
  const budgetBytes = (1 - COMPRESSED_SHARE) * answersBytes;
  return {
    admission,
    cheap,
    streams: createAdmission({ ...STREAMS, running: streams }),
    cache: new AnswerCache({ budgetBytes, answerMaxBytes: ANSWER_MAX_BYTES }),
  };
}

/** What a server keeps of stored sets once they were asked for, and how much of it. */
import {
  AnswerCache,
  GroupedSets,
  HotSets,
  KeptCharges,
  WrittenSets,
} from '../allocation/index.ts';
import { createAdmission, type Admission } from '../pool/index.ts';
import type { Engine } from './engine.ts';

/** Share of the arena in which stored sets stay once they were read. */
const HOT_SHARE = 0.4;
/** Share of it for sets of single containers that answers are written from. */
const WRITTEN_SHARE = 0.25;
/** And for what single sets came to, aggregated. */
const GROUPED_SHARE = 0.1;
const ANSWER_MAX_BYTES = 64 * 2 ** 10;

/** Answers that are too long to be kept wait so long for their turn to be streamed. */
const STREAMS = { waiting: 256, waitMs: 10_000 };

export interface Keeping {
  readonly hot: HotSets;
  readonly written: WrittenSets;
  readonly groupedSets: GroupedSets;
  readonly charges: KeptCharges;
  readonly cache: AnswerCache;
  readonly streams: Admission;
}

export function keeping({ arena, owners, pool, room, memory }: Engine): Keeping {
  const never = new AbortController().signal;
  const hot = new HotSets({
    arena,
    owners,
    budgetBytes: HOT_SHARE * arena.capacityBytes,
    read: (stored, owner, columns) => pool.run('readColumns', { stored, owner, columns }, never),
  });
  const writtenBytes = WRITTEN_SHARE * arena.capacityBytes;
  const written = new WrittenSets({ arena, owners, budgetBytes: writtenBytes });
  const groupedBytes = GROUPED_SHARE * arena.capacityBytes;
  const groupedSets = new GroupedSets({ arena, owners, budgetBytes: groupedBytes });
  for (const kept of [hot, groupedSets, written]) room.canClear(() => kept.clear());
  return {
    hot,
    written,
    groupedSets,
    charges: new KeptCharges({ arena, owners, pool, budgetBytes: memory.chargesBytes }),
    streams: createAdmission({ ...STREAMS, running: memory.streams }),
    cache: new AnswerCache({ budgetBytes: memory.answersBytes, answerMaxBytes: ANSWER_MAX_BYTES }),
  };
}

/** Assets with a full arena: an answer that has begun waits, one that has not is refused. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Room } from '../../src/allocation/index.ts';
import { AnswerReport, writeAssets, type Answering } from '../../src/assets/answer.ts';
import type { AssetPlan } from '../../src/assets/params.ts';
import type { Found } from '../../src/assets/stored.ts';
import type { AssetsWritten } from '../../src/assets/tasks.ts';
import { Arena, ArenaFull, Owners } from '../../src/columnar/index.ts';
import { dirtyMemory } from '../support/references/dirty-memory.ts';

const DAY_MS = 86_400_000;
const { signal } = new AbortController();
const alive = setInterval(() => undefined, 1000);
after(() => clearInterval(alive));

const GROUPS: Found = {
  groups: [0, 1].map((day) => ({
    window: { startMs: day * DAY_MS, endMs: (day + 1) * DAY_MS },
    sets: [],
  })),
  warnings: [],
  warningsBeside: [],
  isPartial: false,
  isDamaged: false,
};

/** An answer of two days; the arena is full at these calls of the task. */
function answer(fullAt: readonly number[]): {
  chunks: AsyncGenerator<Uint8Array>;
  report: AnswerReport;
} {
  const arena = new Arena(dirtyMemory(2 ** 21, true));
  const owners = new Owners(arena);
  const enter = (): Promise<() => void> => Promise.resolve(() => undefined);
  let calls = 0;
  const run = (): Promise<AssetsWritten> => {
    const isFull = fullAt.includes(calls++);
    return isFull
      ? Promise.reject(new ArenaFull(64, 0))
      : Promise.resolve({ chunks: [], damages: [] });
  };
  const options = {
    compute: {
      arena,
      owners,
      pool: { run },
      room: new Room({ arena, owners, running: new Set() }),
    },
    admission: { enter },
    large: { enter },
  } as unknown as Answering;
  const plan = { query: {}, paging: {}, format: 'json' } as unknown as AssetPlan;
  const report = new AnswerReport(GROUPS);
  return { chunks: writeAssets(options, plan, GROUPS, report, signal), report };
}

const WHOLE = '{"code":200,"data":[{},{}]}';

test('P-M5: an answer that has begun waits until there is room for its next day', async () => {
  const { chunks, report } = answer([1, 2, 3]);
  const parts: string[] = [];
  for await (const chunk of chunks) {
    parts.push(Buffer.from(chunk).toString());
    report.headSent();
  }
  assert.equal(parts.join(''), WHOLE);
});

test('an answer is refused at once when its first day has no room and no other request could free any', async () => {
  const { chunks } = answer([0, 1]);
  await assert.rejects(chunks.next(), ArenaFull);
});

test('caches are cleared when a first day has no room', async () => {
  const { chunks } = answer([0]);
  const parts: string[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk).toString());
  assert.equal(parts.join(''), WHOLE);
});

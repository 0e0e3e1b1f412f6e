/** Batches come in memory that the thread fills again: nobody may see another batch in it than the one that was told. */
import assert from 'node:assert/strict';
import { createHash, type Hash } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Seeded } from '../../scripts/seeded.ts';
import { folderSource } from '../../src/blocks/places/folder-source.ts';
import { readBlocks } from '../../src/blocks/reading/read-blocks.ts';
import { BatchMemories } from '../../src/blocks/thread/batch-memory.ts';
import { STORED_SERIES, storedPlaces } from '../../src/columnar/index.ts';
import type { Selection, TimeRange } from '../../src/metrics/index.ts';
import { openConfiguredStore } from '../../src/server/configured-store.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { storedBatches } from '../../src/tsdb/index.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { opened } from '../support/stores/opened-blocks.ts';
import { storeBlock } from '../support/stores/stored-blocks.ts';

const START_MS = Date.UTC(2024, 2, 10);
const RANGE: TimeRange = { startMs: START_MS, endMs: START_MS + 86_400_000 };
const UP: Selection = { metric: 'up', matchers: [] };
const SERIES = 60;
const SAMPLES = 6000;
const READERS = 24;

/** What a batch tells; between its series are bytes of no meaning. */
function add(hash: Hash, bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let at = 0; at < bytes.length;) {
    const labelBytes = view.getUint32(at + STORED_SERIES.u32.labelBytes, true);
    const chunkBytes = view.getUint32(at + STORED_SERIES.u32.chunkBytes, true);
    const { labels, chunks, end } = storedPlaces(at, labelBytes, chunkBytes);
    hash.update(bytes.subarray(at, at + STORED_SERIES.bytes));
    hash.update(bytes.subarray(labels, labels + labelBytes));
    hash.update(bytes.subarray(chunks, chunks + chunkBytes));
    at = end;
  }
}

describe('batches of several reads side by side', () => {
  const folder = quickFolder('shared-batches');
  let whole = '';
  let batches = 0;

  before(async () => {
    const random = new Seeded(1);
    const series = Array.from({ length: SERIES }, (_, pod) => ({
      labels: { __name__: 'up', pod: `pod-${String(pod).padStart(3, '0')}` },
      samples: Array.from(
        { length: SAMPLES },
        (__, i) => [START_MS + i * 14_000, random.below(1e9) / 7] as const,
      ),
    }));
    await storeBlock(folder, { ...RANGE, series });
    const hash = createHash('sha256');
    const { signal } = new AbortController();
    const alone = opened(folderSource(folder), { portionSeries: SERIES });
    const asked = { query: UP, range: RANGE, isChecked: true, signal };
    for await (const portion of readBlocks(alone, asked))
      for (const { bytes } of storedBatches(portion)) {
        add(hash, bytes);
        batches++;
      }
    whole = hash.digest('hex');
  });

  test('are those of a read alone, also where others leave midway', async (t) => {
    assert.ok(batches >= 3, `${batches} batches take turns`);
    const { config } = loadConfig(['--metrics-url', `file://${folder}`], {}, () => '');
    const blocks = openConfiguredStore(config, `file://${folder}`, { idleTimeoutMs: 10_000 });
    t.after(() => blocks.close());
    const random = new Seeded(2);
    /** @param most batches until it leaves @returns undefined: it left */
    const read = async (most: number, hasRoom: boolean): Promise<string | undefined> => {
      const stop = new AbortController();
      const room = hasRoom ? (bytes: number): Uint8Array => new Uint8Array(bytes) : undefined;
      const hash: Hash = createHash('sha256');
      let seen = 0;
      for await (const { bytes } of blocks.read(UP, RANGE, stop.signal, undefined, room)) {
        if (seen++ >= most) return undefined;
        // The thread has all the time to be wrong.
        await pause(random.below(4));
        add(hash, bytes);
      }
      return hash.digest('hex');
    };
    const left = await Promise.all(
      Array.from({ length: READERS }, async (_, reader) => {
        await pause(random.below(20));
        const most = reader % 3 === 0 ? random.below(batches) : Infinity;
        return [most, await read(most, reader % 2 === 0)] as const;
      }),
    );
    for (const [most, found] of left) assert.equal(found, most === Infinity ? whole : undefined);
    assert.equal(await read(Infinity, false), whole, 'and with memory that others left');
  });
});

test('two memories of a read take turns, are never of another read, and come back', () => {
  const memories = new BatchMemories();
  const [one, other] = [memories.begin(), memories.begin()];
  const turns = [1, 2, 3].map(() => one.next(10).buffer);
  assert.notEqual(turns[0], turns[1]);
  assert.equal(turns[0], turns[2]);
  assert.ok(!turns.includes(other.next(10).buffer));
  const long = one.next(3 << 20);
  assert.ok(long.length >= 3 << 20 && long.buffer !== turns[0]);
  memories.end(one);
  const next = memories.begin();
  assert.ok(turns.includes(next.next(10).buffer), 'it is used again');
  assert.notEqual(next.next(10).buffer, long.buffer, 'long ones are not kept');
});

import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, rename, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createRemoteRead } from '../../src/metrics/index.ts';
import { BlockFolder, chunkedBatches, fsckBlocks, storedBatches } from '../../src/tsdb/index.ts';
import { readBatches } from '../support/references/read-batches.ts';
import { asBlockSeries, plainSamples, type PlainSeries } from '../support/stores/block-samples.ts';
import { startPrometheus } from '../support/stores/prometheus.ts';
import { skipWithout } from '../support/servers/services.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = Date.UTC(2024, 2, 10);
const ALL = { startMs: DAY_MS, endMs: DAY_MS + 30 * HOUR_MS };

/** Series of the two hours from `hour` on, a sample each five minutes; half of the pods live on, half are new. */
function cutAt(hour: number): PlainSeries[] {
  return Array.from({ length: 10 }, (_, place) => ({
    labels: {
      __name__: place % 3 === 0 ? 'up' : 'usage',
      pod: place % 2 === 0 ? `pod-${place}` : `pod-${hour}-${place}`,
    },
    samples: Array.from({ length: 24 }, (__, i): [number, number] => [
      DAY_MS + hour * HOUR_MS + i * 300_000 + place,
      hour + i / 7,
    ]),
  }));
}

describe('a folder of blocks', () => {
  let path = '';
  beforeEach(async () => (path = await mkdtemp(join(tmpdir(), 'prorata-blocks-'))));
  afterEach(async () => await rm(path, { recursive: true }));

  async function filled(hours: number): Promise<{ folder: BlockFolder; written: PlainSeries[] }> {
    const folder = await BlockFolder.open(path);
    const written: PlainSeries[] = [];
    for (let hour = 0; hour < hours; hour += 2) {
      const startMs = DAY_MS + hour * HOUR_MS;
      written.push(...cutAt(hour));
      await folder.cut({ startMs, endMs: startMs + 2 * HOUR_MS }, asBlockSeries(cutAt(hour)));
    }
    return { folder, written };
  }

  /** As cut after cut had them: series that live on are joined. */
  function joined(written: readonly PlainSeries[]): ReturnType<typeof plainSamples> {
    return plainSamples(written.flatMap((one) => asBlockSeries([one])));
  }

  function read(folder: BlockFolder): ReturnType<typeof plainSamples> {
    return plainSamples(folder.read({ metrics: ['up', 'usage'] }, ALL), ALL);
  }

  test('merged blocks answer as before, and after a restart', async () => {
    const { folder, written } = await filled(26);
    const before = joined(written);
    assert.deepEqual(read(folder), before);
    const walk = folder.read({ metrics: ['up', 'usage'] }, ALL);
    const first = walk.next();
    assert.equal(await folder.merge(), 4); // three of eight hours, then the day
    assert.deepEqual(
      folder.blocks.map(({ level, sources }) => [level, sources.length]),
      [
        [3, 12],
        [1, 1],
      ],
    );
    assert.deepEqual(read(folder), before);
    // A read that began before goes on over what it began with.
    assert.ok(first.done !== true);
    assert.deepEqual(plainSamples([first.value, ...walk]), before);
    assert.equal((await readdir(path)).length, 2);
    folder.close();
    const again = await BlockFolder.open(path);
    assert.deepEqual(read(again), before);
    assert.equal((await fsckBlocks(path)).findings.length, 0);
    assert.equal(await again.dropBefore(DAY_MS + 24 * HOUR_MS), 1);
    assert.deepEqual(read(again), joined(cutAt(24)));
    assert.equal((await readdir(path)).length, 1);
    again.close();
  });

  test('samples in no block yet, and blocks that overlap, are merged into what is read', async () => {
    const { folder, written } = await filled(4);
    const late = cutAt(1.5);
    const newer = cutAt(3);
    const range = { startMs: DAY_MS + 1.5 * HOUR_MS, endMs: DAY_MS + 3.5 * HOUR_MS };
    await folder.cut(range, asBlockSeries(late));
    const head = {
      startMs: DAY_MS + 3 * HOUR_MS,
      endMs: Infinity,
      series: () => asBlockSeries(newer),
    };
    const found = plainSamples(folder.read({ metrics: ['up', 'usage'] }, ALL, [head]));
    const all = [...written, ...late, ...newer];
    for (const one of found.values()) {
      const times = one.map(([ms]) => ms);
      assert.deepEqual(
        times,
        [...new Set(times)].sort((a, b) => a - b),
      );
    }
    const count = (map: ReadonlyMap<string, readonly unknown[]>): number =>
      [...map.values()].reduce((sum, list) => sum + list.length, 0);
    const times = new Set(
      all.flatMap(({ labels, samples }) =>
        samples.map(([ms]) => `${labels['pod']} ${labels['__name__']} ${ms}`),
      ),
    );
    assert.equal(count(found), times.size);
    assert.equal(await folder.merge(), 1);
    assert.deepEqual(plainSamples(folder.read({ metrics: ['up', 'usage'] }, ALL, [head])), found);
    folder.close();
  });

  test('what a crash left is removed, and a merged block is read in place of its parents', async () => {
    const { folder, written } = await filled(10);
    const [parent] = folder.blocks;
    const old = join(path, parent?.ulid ?? '');
    await cp(old, `${path}-parent`, { recursive: true });
    await folder.merge();
    folder.close();
    await rename(`${path}-parent`, old);
    await mkdir(join(path, `${parent?.ulid}.tmp-for-deletion`));
    await mkdir(join(path, `${parent?.ulid}.tmp-for-creation`, 'chunks'), { recursive: true });
    const again = await BlockFolder.open(path);
    assert.deepEqual(read(again), joined(written));
    assert.equal((await readdir(path)).length, 2);
    again.close();
  });

  test('a damaged block is not passed over: reads fail and name it, until it is moved away', async () => {
    const { folder } = await filled(4);
    folder.close();
    const [first, second] = (await readdir(path)).sort();
    const file = join(path, first ?? '', 'index');
    await truncate(file, 300);
    const damaged = await BlockFolder.open(path);
    assert.equal(damaged.damages.length, 1);
    assert.throws(
      () => read(damaged),
      (error: Error) => error.name === 'DamagedBlock' && error.message.includes(file),
    );
    damaged.close();
    await rm(join(path, first ?? ''), { recursive: true });
    const rest = await BlockFolder.open(path);
    assert.deepEqual(
      rest.blocks.map(({ ulid }) => ulid),
      [second],
    );
    assert.equal(read(rest).size, 10);
    rest.close();
  });

  test(
    'a real Prometheus answers the same of the folder',
    { skip: skipWithout('prometheus') },
    async () => {
      const { folder, written } = await filled(26);
      await folder.merge();
      const names = ['up', 'usage'];
      const ours = await readBatches(chunkedBatches(folder.read({ metrics: names }, ALL)));
      const stored = storedBatches(folder.stored({ metrics: names }, ALL));
      assert.deepEqual(await readBatches(stored), ours);
      folder.close();
      const prometheus = await startPrometheus({ dataFolder: path });
      const source = createRemoteRead({
        url: prometheus.url,
        idleTimeoutMs: 5000,
        totalTimeoutMs: 20_000,
      });
      try {
        const matchers = [{ label: 'pod', operator: '!=' as const, value: '' }];
        const signal = new AbortController().signal;
        const theirs = new Map<string, unknown>();
        for (const metric of names)
          for (const [key, one] of await readBatches(
            source.read({ metric, matchers }, ALL, signal),
          ))
            theirs.set(key, one);
        assert.deepEqual(ours, theirs);
        assert.equal(ours.size, joined(written).size);
      } finally {
        await source.close();
        await prometheus.stop();
      }
    },
  );
});

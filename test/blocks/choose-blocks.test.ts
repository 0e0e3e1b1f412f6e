import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chooseBlocks } from '../../src/blocks/catalogue/choose-blocks.ts';
import type { StoredBlock } from '../../src/blocks/catalogue/stored-block.ts';
import { warningsOf } from '../../src/blocks/catalogue/warnings.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** When blocks are looked at: a day after the first hour. */
const NOW_MS = DAY_MS;

/** A block of two hours from `hour` on, uploaded an hour after its end. */
function block(ulid: string, hour: number, more: Partial<StoredBlock> = {}): StoredBlock {
  const [startMs, endMs] = [hour * HOUR_MS, (hour + 2) * HOUR_MS];
  return {
    ulid,
    startMs,
    endMs,
    samples: 1,
    series: 1,
    chunks: 1,
    level: 1,
    sources: [ulid],
    parents: [],
    labels: [],
    resolutionMs: 0,
    uploadedMs: endMs + HOUR_MS,
    isMarked: false,
    ...more,
  };
}

function chosen(blocks: readonly StoredBlock[]): ReturnType<typeof chooseBlocks> {
  return chooseBlocks(blocks, ['replica'], NOW_MS);
}

/** ULIDs by origin. */
function ulids(blocks: readonly StoredBlock[]): string[][] {
  return chosen(blocks).origins.map(({ blocks: own }) => own.map(({ block: { ulid } }) => ulid));
}

const A: StoredBlock['labels'] = [['cluster', 'a']];
const B: StoredBlock['labels'] = [['cluster', 'b']];

describe('which blocks are read', () => {
  test('not those that wait for their deletion, nor downsampled ones', () => {
    const marked = block('1', 0, { isMarked: true });
    const sums = block('2', 0, { resolutionMs: 300_000 });
    assert.deepEqual(ulids([marked, sums, block('3', 0)]), [['3']]);
  });

  test('not those whose samples are in a merged one, of the same labels or without the replica', () => {
    const ofA = [block('1', 0, { labels: A }), block('2', 2, { labels: A })];
    const whole = { startMs: 0, endMs: 8 * HOUR_MS, level: 2, sources: ['1', '2'] };
    assert.deepEqual(ulids([...ofA, block('3', 0, { ...whole, labels: A })]), [['3']]);
    assert.deepEqual(ulids([...ofA, block('3', 0, { ...whole, labels: B })]), [['1', '2'], ['3']]);
    const replicas = ofA.map((each, i) => ({
      ...each,
      labels: [...A, ['replica', String(i)] as const],
    }));
    assert.deepEqual(ulids([...replicas, block('3', 0, { ...whole, labels: A })]), [['3']]);
  });

  test('all shards of a split block, and what they were split of until it is marked', () => {
    const shard = (ulid: string, name: string): StoredBlock =>
      block(ulid, 0, { level: 2, sources: ['1'], labels: [['__compactor_shard_id__', name]] });
    const shards = [shard('2', '1_of_2'), shard('3', '2_of_2')];
    assert.deepEqual(ulids([block('1', 0), ...shards]), [['1', '2', '3']]);
    assert.deepEqual(ulids([block('1', 0, { isMarked: true }), ...shards]), [['2', '3']]);
  });

  test('one of two that were made of the same', () => {
    const twice = ['2', '3'].map((ulid) => block(ulid, 0, { level: 2, sources: ['1'] }));
    assert.deepEqual(ulids(twice), [['3']]);
  });

  test('replicas are of one origin, clusters are not', () => {
    const labels = (cluster: string, replica: string): StoredBlock['labels'] => [
      ['cluster', cluster],
      ['replica', replica],
    ];
    const { origins } = chosen([
      block('1', 0, { labels: labels('a', '0') }),
      block('2', 0, { labels: labels('a', '1') }),
      block('3', 0, { labels: labels('b', '0') }),
    ]);
    assert.deepEqual(
      origins.map((origin) => [origin.labels, origin.blocks.map(({ replica }) => replica)]),
      [
        [A, ['[["replica","0"]]', '[["replica","1"]]']],
        [B, ['[["replica","0"]]']],
      ],
    );
  });
});

describe('up to where samples are there', () => {
  test('as far as all clusters have them, but those that ended', () => {
    const blocks = [
      block('1', 20, { labels: A }),
      block('2', 18, { labels: B }),
      block('3', 0, { labels: [['cluster', 'gone']] }),
    ];
    const { reachMs, ended, startMs } = chosen(blocks);
    assert.equal(reachMs, 20 * HOUR_MS);
    assert.equal(startMs, 0);
    assert.deepEqual(
      ended.map(({ labels }) => labels),
      [[['cluster', 'gone']]],
    );
  });

  test('a block counts once others of its time had ten minutes to come, unless it is a copy', () => {
    const fresh = { uploadedMs: NOW_MS - 60_000 };
    const blocks = [block('1', 18), block('2', 20, fresh)];
    assert.equal(chosen(blocks).reachMs, 20 * HOUR_MS);
    assert.equal(chosen([block('1', 12, fresh)]).reachMs, 14 * HOUR_MS);
    assert.equal(chosen([block('1', 20, fresh)]).reachMs, 20 * HOUR_MS, 'nothing is whole yet');
    const afterLongSilence = [block('1', 2), block('2', 20, fresh)];
    assert.equal(chosen(afterLongSilence).reachMs, 4 * HOUR_MS);
    assert.equal(chosen([]).reachMs, undefined);
  });

  test('what no block has is told', () => {
    const blocks = [
      block('1', 20, { labels: A }),
      block('2', 6, { labels: B }),
      block('3', 0, { labels: A, resolutionMs: 300_000 }),
    ];
    const told = (startMs: number, endMs: number): string[] =>
      warningsOf('s3://m', chosen(blocks), { startMs, endMs: endMs + 600_000 });
    assert.deepEqual(told(20 * HOUR_MS, 22 * HOUR_MS), [
      'blocks of {cluster="b"} in s3://m end at 1970-01-01T08:00:00.000Z: nothing later is counted of it',
    ]);
    const [late, ended, sums] = told(HOUR_MS, 23 * HOUR_MS);
    assert.match(late ?? '', /^blocks of s3:\/\/m reach to 1970-01-01T22:00:00\.000Z, as/);
    assert.match(ended ?? '', /^blocks of \{cluster="b"\}/);
    assert.match(
      sums ?? '',
      /from 1970-01-01T00:00:00\.000Z to 1970-01-01T02:00:00\.000Z are downsampled/,
    );
    assert.deepEqual(told(6 * HOUR_MS, 8 * HOUR_MS), []);
    assert.deepEqual(warningsOf('s3://m', chosen([]), { startMs: 0, endMs: 1 }), [
      's3://m has no blocks: nothing is counted',
    ]);
  });
});

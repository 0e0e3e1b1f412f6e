/** Volumes that a claim held, one after another. Times are minutes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bindingOf, volumesOf } from '../../../src/allocation/ledger/volume-lives.ts';
import { inventoryOf, MINUTE_MS, type Series } from '../../support/fleets/decided.ts';

const GIB = 2 ** 30;
type Seen = readonly [number, number];

function held(volume: string, seen: Seen, gib: number): Series[] {
  const labels = { persistentvolumeclaim: 'data' };
  return [
    { fact: 'claimInfo', labels: { ...labels, volumename: volume }, seen, values: [[seen[0], 1]] },
    { fact: 'claimRequest', labels, seen, values: [[seen[0], gib * GIB]] },
  ];
}

/** Each volume with its binding and its sizes. */
function shown(series: readonly Series[]): (readonly [string, number, number, ...number[]])[] {
  const inventory = inventoryOf(series);
  const [claim] = inventory.claims.values();
  if (!claim) return [];
  return volumesOf(inventory).map(({ name, bytes }) => {
    const { startMs, endMs } = bindingOf(claim, name);
    const sizes = bytes.merged().filter((_, i) => i % 2 === 1);
    return [name, startMs / MINUTE_MS, endMs / MINUTE_MS, ...sizes.map((size) => size / GIB)];
  });
}

const OLD = held('old', [0, 100], 1000);
const NEW = held('new', [130, 300], 10);

test('a claim that is created again holds its new volume from when it last held the old one', () => {
  const lives = [
    ['old', -Infinity, 100, 1000],
    ['new', 100, Infinity, 10],
  ];
  assert.deepEqual(shown([...OLD, ...NEW]), lives);
  assert.deepEqual(shown([...NEW, ...OLD]), lives.toReversed());
});

test('a claim that is created for the third time holds each volume in turn', () => {
  assert.deepEqual(shown([...OLD, ...NEW, ...held('last', [310, 400], 20)]), [
    ['old', -Infinity, 100, 1000],
    ['new', 100, 300, 10],
    ['last', 300, Infinity, 20],
  ]);
});

test('a claim with one volume holds it for all of the time, also where its samples have gaps', () => {
  assert.deepEqual(shown([...OLD, ...held('old', [130, 300], 2000)]), [
    ['old', -Infinity, Infinity, 1000, 2000],
  ]);
});

test('volumes that a claim shows at the same time are held for all of it', () => {
  const both = shown([...OLD, ...held('other', [50, 300], 10)]);
  assert.deepEqual(
    both.map(([name, from, to]) => [name, from, to]),
    [
      ['old', -Infinity, Infinity],
      ['other', -Infinity, Infinity],
    ],
  );
});

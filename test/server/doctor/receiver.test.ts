/** What `prorata doctor` says of the receiver. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReceiverFigures } from '../../../src/receiver/index.ts';
import { receiverFindings } from '../../../src/server/doctor/receiver.ts';

const NOW_MS = 1_790_000_000_000;
const WELL: ReceiverFigures = {
  samples: 7,
  refused: {},
  series: 3,
  blocks: 4,
  blockBytes: 5000,
  damagedBlocks: 0,
  logBytes: 600,
  commits: 8,
  commitSeconds: 0.25,
  oldestMs: NOW_MS - 60_000,
  newestMs: NOW_MS - 1000,
  failing: undefined,
};

function statesOf(figures: ReceiverFigures): Record<string, string> {
  const findings = receiverFindings(figures, { receiveSeries: 10 }, NOW_MS);
  const unwell = findings.filter(({ state }) => state !== 'ok');
  return Object.fromEntries(unwell.map(({ name, state, value }) => [name, `${state}: ${value}`]));
}

test('a receiver that is well has nothing to look at', () => {
  assert.deepEqual(statesOf(WELL), {});
});

test('damaged blocks, a full disk, silence, refusals and a limit that is near are told', () => {
  const unwell: ReceiverFigures = {
    ...WELL,
    damagedBlocks: 2,
    failing: 'the disk is full',
    newestMs: NOW_MS - 7_200_000,
    refused: { 'too old': 5, labels: 0 },
    series: 9,
  };
  assert.deepEqual(statesOf(unwell), {
    'stores samples': 'bad: the disk is full',
    'newest sample': `warning: ${new Date(NOW_MS - 7_200_000).toISOString()}, 2.0 hours ago`,
    'series that are received': 'warning: 9 of 10',
    'samples that were refused': 'warning: 5 too old',
    'damaged blocks': 'bad: 2',
  });
});

/** What the receiver tells a metrics store of itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exposition } from '../../src/export/index.ts';
import { noOutcomes, receiverFamilies, type ReceiverFigures } from '../../src/receiver/index.ts';

const FIGURES: ReceiverFigures = {
  samples: 7,
  refused: { 'too old': 2, labels: 1 },
  series: 3,
  blocks: 4,
  blockBytes: 5000,
  damagedBlocks: 2,
  logBytes: 600,
  commits: 8,
  commitSeconds: 0.25,
  oldestMs: undefined,
  newestMs: undefined,
  failing: undefined,
};

function linesOf(figures: ReceiverFigures): Set<string> {
  const outcomes = { ...noOutcomes(), stored: 9, busy: 1 };
  return new Set(exposition(receiverFamilies(figures, outcomes)).split('\n'));
}

test('counts requests by outcome, samples by reason, and what is on disk', () => {
  const lines = linesOf(FIGURES);
  for (const line of [
    'prorata_receiver_requests_total{outcome="stored"} 9',
    'prorata_receiver_requests_total{outcome="refused"} 0',
    'prorata_receiver_requests_total{outcome="busy"} 1',
    'prorata_receiver_samples_total 7',
    'prorata_receiver_samples_refused_total{reason="too old"} 2',
    'prorata_receiver_series 3',
    'prorata_receiver_blocks 4',
    'prorata_receiver_block_bytes 5000',
    'prorata_receiver_damaged_blocks 2',
    'prorata_receiver_log_bytes 600',
    'prorata_receiver_commits_total 8',
    'prorata_receiver_commit_seconds_total 0.25',
    'prorata_receiver_failing 0',
  ])
    assert.ok(lines.has(line), line);
  assert.ok(![...lines].some((line) => line.includes('timestamp')));
});

test('tells from when to when there are samples, and that none can be stored', () => {
  const lines = linesOf({ ...FIGURES, oldestMs: 1500, newestMs: 2500, failing: 'full' });
  assert.ok(lines.has('prorata_receiver_oldest_sample_timestamp_seconds 1.5'));
  assert.ok(lines.has('prorata_receiver_newest_sample_timestamp_seconds 2.5'));
  assert.ok(lines.has('prorata_receiver_failing 1'));
});

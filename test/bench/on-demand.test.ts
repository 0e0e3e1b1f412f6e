import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureAll, type Measurement } from '../../bench/harness.ts';
import { onDemandBenchmarks } from '../../bench/on-demand.ts';
import { skipWithout } from '../support/servers/services.ts';

test(
  'the on-demand benchmark gets the totals of its samples, at 60 s and at 6 s',
  { skip: skipWithout('prometheus') },
  async () => {
    const notes: string[] = [];
    const note = (line: string): void => void notes.push(line);
    const options = { isSmoke: true, withPeers: false, settings: {}, note };
    const tables: Measurement[][] = [];
    // Each checksum first compares four totals with those of the samples, and throws.
    for await (const table of measureAll(onDemandBenchmarks, options)) tables.push(table);
    assert.deepEqual(
      tables.map((table) => table.map(({ task }) => task)),
      Array(2).fill([
        'bare download of the four streams',
        'the four streams, one after the other',
        'bare download of all that it reads',
        'resolution=1m',
        'resolution=exact',
      ]),
    );
    const [expected, ...sums] = tables.flat().flatMap(({ checksum }) => checksum || []);
    assert.equal(sums.length, 3);
    for (const sum of sums) assert.ok(Math.abs(sum - (expected ?? NaN)) < 1e-9, String(sums));
    assert.match(notes.join('\n'), /peak resident size \d+ MB/);
  },
);

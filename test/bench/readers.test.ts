import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureAll, type Measurement } from '../../bench/harness.ts';
import { readersBenchmarks } from '../../bench/readers.ts';
import { skipWithout } from '../support/servers/services.ts';
import { VICTORIA } from '../support/stores/victoria.ts';

test(
  'the benchmark of the readers gets the totals of the samples through each',
  { skip: skipWithout('prometheus', VICTORIA) },
  async () => {
    const notes: string[] = [];
    const note = (line: string): void => void notes.push(line);
    const options = { isSmoke: true, withPeers: false, settings: {}, note };
    const tables: Measurement[][] = [];
    // Each checksum first compares four totals with those of the samples, and throws.
    for await (const table of measureAll(readersBenchmarks, options)) tables.push(table);
    assert.deepEqual(
      tables.flat().map(({ task }) => task),
      [
        'Prometheus, remote-read',
        'Prometheus, query-range',
        'VictoriaMetrics, victoria-export',
        'VictoriaMetrics, query-range',
        "Prometheus, OpenCost's queries alone",
      ],
    );
    const [expected = NaN, ...sums] = tables.flat().map(({ checksum }) => checksum);
    const requested = sums.pop() ?? NaN;
    assert.ok(requested > 0 && requested < expected, `${requested} core-hours`);
    for (const sum of sums) assert.ok(Math.abs(sum - expected) < 1e-9, `${sum}, not ${expected}`);
    assert.match(notes.join('\n'), /peak resident size of each server: (\d+ MB(, )?){4}/);
  },
);

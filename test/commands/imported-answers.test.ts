/** Days imported on the command line answer the server's queries. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { importHistory } from '../../src/commands/import.ts';
import { aggregationCases, aggregationDay } from '../support/aggregation-cases.ts';
import { startProrata, type Prorata } from '../support/servers/prorata.ts';

const WINDOW = 'window=2026-01-14T00:00:00Z,2026-01-15T00:00:00Z';
const home = mkdtempSync(join(tmpdir(), 'prorata-imported-'));
after(() => rmSync(home, { recursive: true, force: true }));

interface Answer {
  readonly data: readonly Readonly<Record<string, { readonly totalCost: number }>>[];
}

for (const set of ['cluster-idle', 'node-idle'])
  describe(`a saved day with ${set}`, () => {
    let prorata: Prorata | undefined;
    after(() => prorata?.stop());

    test('each query of its list has the answer of the list', async () => {
      const folder = join(home, set);
      await importHistory(['allocations', aggregationDay(set), '--data-dir', folder, '--quiet']);
      prorata = await startProrata(['--data-dir', folder, '--now', '2026-01-15T12:00:00Z']);
      const cases = aggregationCases().filter((one) => one.set === set);
      assert.ok(cases.length > 0, 'no query');
      for (const { id, query, expected } of cases) {
        const response = await fetch(`${prorata.url}/model/allocation?${WINDOW}&${query}`);
        assert.equal(response.status, 200, `${id}: ${query}`);
        const [rows = {}] = ((await response.json()) as Answer).data;
        assert.deepEqual(Object.keys(rows).toSorted(), Object.keys(expected).toSorted(), id);
        for (const [name, value] of Object.entries(expected)) {
          const wanted = typeof value === 'number' ? value : (value[0] ?? NaN);
          const off = Math.abs((rows[name]?.totalCost ?? NaN) - wanted);
          assert.ok(off < 1e-5, `${id}: ${name} is off by ${off}`);
        }
      }
    });
  });

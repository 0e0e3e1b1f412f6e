/** Days that were moved in by the command line answer the server's queries. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { importHistory } from '../../src/commands/import.ts';
import { startProrata, type Prorata } from '../support/prorata.ts';

const FIXTURES = fileURLToPath(new URL('../../../shared/fixtures/aggregation/', import.meta.url));
const skip = existsSync(FIXTURES) ? false : 'the shared fixtures are not there';
const WINDOW = 'window=2026-01-14T00:00:00Z,2026-01-15T00:00:00Z';
const home = mkdtempSync(join(tmpdir(), 'prorata-imported-'));
after(() => rmSync(home, { recursive: true, force: true }));

interface Case {
  readonly id: string;
  readonly set: string;
  readonly query: string;
  /** totalCost, or it and its parts, by name. */
  readonly expected: Readonly<Record<string, number | readonly number[]>>;
}

interface Answer {
  readonly data: readonly Readonly<Record<string, { readonly totalCost: number }>>[];
}

function casesOf(set: string): Case[] {
  const text = readFileSync(join(FIXTURES, 'cases.json'), 'utf8');
  return (JSON.parse(text) as { cases: Case[] }).cases.filter((one) => one.set === set);
}

for (const set of ['cluster-idle', 'node-idle'])
  describe(`a saved day with ${set}`, { skip }, () => {
    let prorata: Prorata | undefined;
    after(() => prorata?.stop());

    test('every question of its list has the answer of its list', async () => {
      const folder = join(home, set);
      const file = join(FIXTURES, `day-${set}.json`);
      await importHistory(['allocations', file, '--data-dir', folder, '--quiet']);
      prorata = await startProrata(['--data-dir', folder, '--now', '2026-01-15T12:00:00Z']);
      for (const { id, query, expected } of casesOf(set)) {
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

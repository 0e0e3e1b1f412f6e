/** Every cost of one fleet through every reader and the whole server, against its closed form. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expectedCosts, expectedRows } from '../../support/fleets/costs-expected.ts';
import { COSTS_END_MS, COSTS_START_MS } from '../../support/fleets/costs-fleet.ts';
import { costSeries } from '../../support/fleets/costs-series.ts';
import { skipWithout } from '../../support/servers/services.ts';
import { READERS, startReaders, type ToldByReaders } from '../../support/servers/told.ts';
import { VICTORIA } from '../../support/stores/victoria.ts';

type Row = Readonly<Record<string, number>>;
type Rows = readonly (readonly [name: string, row: Row])[];

/** CPU, RAM and GPU are of the points seen; all else is whole at any resolution. */
const SAMPLED = /^(cpu|ram|gpu)/;

const skip = skipWithout('prometheus', 'promtool', VICTORIA);

describe('every cost adds up to price × hours or bytes, to 1e-9', { skip }, () => {
  let told: ToldByReaders;
  before(async () => {
    told = await startReaders(costSeries());
  });
  after(() => told.stop());

  for (const [reader, store] of READERS) {
    describe(`${reader} of ${store}`, () => {
      const ask = async (parameters: Readonly<Record<string, string>>): Promise<Rows[]> => {
        const [start, end] = [COSTS_START_MS, COSTS_END_MS].map((ms) => new Date(ms).toISOString());
        const prorata = told.by(reader);
        const sets = await prorata.allocations({ window: `${start},${end}`, ...parameters });
        return sets.map((rows) =>
          Object.entries(rows).map(([name, row]): [string, Row] => [name, { ...row }]),
        );
      };

      test('over the window, and each row that a cost was divided among', async () => {
        const [rows = []] = await ask({ resolution: 'exact' });
        assertTotals(rows, expectedCosts());
        const expected = expectedRows();
        for (const [end, fields] of Object.entries(expected)) {
          const row = rows.find(([name]) => name.endsWith(`/${end}`))?.[1];
          for (const [field, value] of Object.entries(fields)) {
            assertClose(row?.[field], value, `${end} ${field}`);
          }
        }
        assert.equal(rows.length, Object.keys(expected).length);
      });

      for (const step of ['1h', '97m', '5m']) {
        test(`over sets of ${step}, together`, async () => {
          const sets = await ask({ resolution: 'exact', step });
          assert.ok(sets.length > 1, `${sets.length} sets`);
          assertTotals(sets.flat(), expectedCosts());
        });
      }

      for (const [resolution, step] of [
        ['1m', '6h'],
        ['10m', '6h'],
        ['1h', '50m'],
      ] as const) {
        test(`at ${resolution}, volumes and load balancers are whole in sets of ${step}`, async () => {
          const sets = await ask({ resolution, step });
          const whole = Object.entries(expectedCosts()).filter(
            ([field]) => !SAMPLED.test(field) && (step === '6h' || !field.startsWith('network')),
          );
          assertTotals(sets.flat(), Object.fromEntries(whole));
        });
      }

      test('what nobody mounts is told apart in every aggregate', async () => {
        const [[rows = []], [services = []]] = await Promise.all([
          ask({ resolution: 'exact', aggregate: 'pod' }),
          ask({ resolution: 'exact', aggregate: 'service' }),
        ]);
        assertTotals(rows, expectedCosts());
        assertTotals(services, expectedCosts());
        assert.deepEqual(
          services.map(([name]) => name),
          ['__unallocated__', '__unmounted__', 'web'],
        );
      });

      test('a set in which nothing is unmounted has no such row', async () => {
        const sets = await ask({ resolution: 'exact', step: '1h' });
        const names = sets.map((rows) =>
          rows.map(([name]) => name).filter((name) => name.includes('/shop-unmounted-pvcs/')),
        );
        // Newest first: data is mounted from minute 30 to 200.
        assert.deepEqual(
          names.map((list) => list.length),
          [1, 1, 1, 0, 0, 1],
        );
      });

      test('a claim that nobody mounts has a row for the time in which nobody does', async () => {
        const sets = await ask({ resolution: 'exact', step: '1h' });
        const minutes = sets.map(
          (rows) => rows.find(([name]) => name.includes('/shop-unmounted-pvcs/'))?.[1]['minutes'],
        );
        assert.deepEqual(minutes, [60, 60, 40, undefined, undefined, 30]);
      });
    });
  }
});

function assertTotals(rows: Rows, expected: Row): void {
  for (const [field, value] of Object.entries(expected)) {
    const total = rows.reduce((sum, [, row]) => sum + (row[field] ?? NaN), 0);
    assertClose(total, value, field);
  }
}

function assertClose(actual: number | undefined, expected: number, what: string): void {
  const error = Math.abs((actual ?? NaN) - expected);
  assert.ok(error <= 1e-9 * expected, `${what}: ${actual}, not ${expected}`);
}

import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compileKernels, createEngine } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { anyCase, runMeter, type Case } from '../../support/arbitraries/meter-cases.ts';
import { meterSlowly } from '../../support/references/meter-reference.ts';
import type { RowSums } from '../../support/references/meter-ledger.ts';
import type { TestSeries } from '../../support/stores/samples-encoding.ts';
import { ENCODINGS } from '../../support/stores/stored-series.ts';

const engine = createEngine(compileKernels(), dirtyMemory(16 << 20), 1);

function assertNear(found: readonly RowSums[][], expected: readonly RowSums[][]): void {
  assert.equal(found.length, expected.length);
  expected.forEach((sets, container) =>
    sets.forEach((row, set) => {
      for (const [name, wanted] of Object.entries(row)) {
        const value = found[container]?.[set]?.[name as keyof RowSums] ?? NaN;
        const isNear = Math.abs(value - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted));
        assert.ok(isNear, `${name} of container ${container}, set ${set}: ${value}, not ${wanted}`);
      }
    }),
  );
}

function equalsReference({ ledger, series, rules }: Case): void {
  const expected = meterSlowly(ledger, series, rules);
  for (const encoding of ENCODINGS) {
    assertNear(runMeter(engine, ledger, [series.flat()], rules, encoding).rows, expected);
  }
}

test('a meter integrates exactly like the moment-by-moment reference', () => {
  fc.assert(fc.property(anyCase(), equalsReference), { numRuns: 800 });
});

/** The same series with another instance, as a store shows it twice. */
function renamed(series: TestSeries, instance: string): TestSeries {
  return { ...series, labels: [...series.labels, ['instance', instance]] };
}

function part(series: TestSeries, from: number, to?: number): TestSeries {
  const { labels, timestampsMs, values } = series;
  return { labels, timestampsMs: timestampsMs.slice(from, to), values: values.slice(from, to) };
}

/** The `places` between different times: a cut between samples of one time would make series overlap. */
function betweenTimes({ timestampsMs }: TestSeries, places: readonly number[]): number[] {
  return places.filter((place) => timestampsMs[place - 1] !== timestampsMs[place]);
}

/** The series cut after each of `places` that lies in it. */
function cut(series: TestSeries, places: readonly number[]): TestSeries[] {
  const at = [...new Set([0, ...places, series.values.length])]
    .filter((place) => place <= series.values.length)
    .sort((a, b) => a - b);
  return at.slice(1).map((to, i) => part(series, at[i] ?? 0, to));
}

test('a series cut into any pieces and batches gives the same bits as an uncut one', () => {
  const places = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 6 });
  fc.assert(
    fc.property(anyCase(), places, fc.boolean(), (one, at, inOneBatch) => {
      const { ledger, series, rules } = one;
      const whole = runMeter(engine, ledger, [series.flat()], rules);
      const pieces = series.flat().flatMap((all) => cut(all, at));
      const batches = inOneBatch ? [pieces] : pieces.map((piece) => [piece]);
      for (const encoding of ENCODINGS) {
        assert.deepEqual(runMeter(engine, ledger, batches, rules, encoding), whole);
      }
    }),
    { numRuns: 200 },
  );
});

test('samples one at a time give the same bits as samples together', () => {
  fc.assert(
    fc.property(anyCase(), ({ ledger, series, rules }) => {
      const singles = series.flat().flatMap((all) => cut(all, [...all.values.keys()]));
      assert.deepEqual(
        runMeter(engine, ledger, [singles], rules),
        runMeter(engine, ledger, [series.flat()], rules),
      );
    }),
    { numRuns: 200 },
  );
});

test('P-F2: a series that comes twice with the same times counts once, to the bit', () => {
  fc.assert(
    fc.property(anyCase(), fc.boolean(), ({ ledger, series, rules }, isNextToIt) => {
      const single = series.map((all) => all.slice(0, 1));
      const second = single.flat().map((one) => renamed(one, 'second'));
      const both = isNextToIt
        ? single.flat().flatMap((one, i) => [one, second[i] ?? one])
        : [...single.flat(), ...second];
      assert.deepEqual(
        runMeter(engine, ledger, [both], rules).rows,
        runMeter(engine, ledger, [single.flat()], rules).rows,
      );
    }),
    { numRuns: 200 },
  );
});

test('overlapping series never count more than the time they cover', () => {
  fc.assert(
    fc.property(anyCase(), ({ ledger, series, rules }) => {
      const ones = series.flat().map((one) => ({ ...one, values: one.values.map(() => 1) }));
      const { rows } = runMeter(engine, ledger, [ones], { ...rules, isCounter: false });
      const lengths = ledger.setsMs.slice(1).map((ms, set) => ms - (ledger.setsMs[set] ?? 0));
      const most = rows.map((sets) => sets.map(({ usage }, set) => usage - (lengths[set] ?? 0)));
      assert.ok(Math.max(...most.flat(), 0) === 0, most.join());
    }),
    { numRuns: 200 },
  );
});

test('series that do not overlap give the same sums in any order of arrival', () => {
  const places = fc.uniqueArray(fc.integer({ min: 1, max: 59 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(anyCase(), places, fc.array(fc.nat()), (one, at, order) => {
      const { ledger, series, rules } = one;
      const restarts = series
        .flatMap((all) => all.slice(0, 1))
        .flatMap((all) =>
          cut(all, betweenTimes(all, at)).map((piece, i) => renamed(piece, `run ${i}`)),
        );
      const shuffled = restarts
        .map((all, i) => ({ all, rank: order[i] ?? 0 }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ all }) => all);
      const found = runMeter(engine, ledger, [shuffled], rules).rows;
      assertNear(found, runMeter(engine, ledger, [restarts], rules).rows);
    }),
    { numRuns: 200 },
  );
});

test('the sets of a window add up to the whole window', () => {
  fc.assert(
    fc.property(anyCase(), ({ ledger, series, rules }) => {
      const [startMs = 0, endMs = 0] = [ledger.setsMs[0], ledger.setsMs.at(-1)];
      const sets = runMeter(engine, ledger, [series.flat()], rules).rows;
      const whole = runMeter(
        engine,
        { ...ledger, setsMs: [startMs, endMs] },
        [series.flat()],
        rules,
      );
      const added = sets.map((rows) => [
        {
          ...eachOf(SUMMED, (name) => sum(rows, name)),
          ...eachOf(MAXIMA, (name) => Math.max(...rows.map((row) => row[name]))),
        },
      ]);
      assertNear(added, whole.rows);
    }),
    { numRuns: 200 },
  );
});

const SUMMED = ['request', 'requestCost', 'excess', 'excessCost', 'usage'] as const;
const MAXIMA = ['usageMax'] as const;

function eachOf<Name extends string>(
  names: readonly Name[],
  value: (name: Name) => number,
): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, number>;
}

function sum(rows: readonly RowSums[], name: keyof RowSums): number {
  return rows.reduce((total, row) => total + row[name], 0);
}

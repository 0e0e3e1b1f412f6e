/** Rows of a query beside the closed form of a plan: what is off is seen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Seeded } from '../../../scripts/seeded.ts';
import { expectedRows, type ExpectedRow } from './closed-form.ts';
import { compared, type CountedRow } from './comparison.ts';
import { planOf } from './random-plan.ts';

const START_MS = Date.UTC(2026, 4, 1, 10);
const END_MS = START_MS + 7_200_000;
const size = { startMs: START_MS, endMs: END_MS, nodes: 3, pods: 20, restless: 0.3 };
const sampling = { fromMs: START_MS, untilMs: END_MS, gapMs: (): number => 60_000 };
const expected = new Map(
  [...expectedRows(planOf(new Seeded(2), size), sampling)].filter(
    ([, lives]) => lives.length === 1,
  ),
);

/** As it would be counted. */
function rowOf(life: ExpectedRow): CountedRow {
  const hours = life.minutes / 60;
  return {
    minutes: life.minutes,
    cpuCoreRequestAverage: life.cpuRequestHours / hours,
    cpuCoreUsageAverage: life.cpuUsageHours.value / hours,
    cpuCoreHours: life.cpuHours.value,
    ramByteRequestAverage: life.ramRequestByteHours / hours,
    ramByteUsageAverage: life.ramUsageByteHours.value / hours,
    ramByteHours: life.ramByteHours.value,
  };
}

function counted(change: (row: CountedRow) => CountedRow = (row) => row): Map<string, CountedRow> {
  const rows = [...expected].flatMap(([key, lives]) =>
    lives.map((life): [string, CountedRow] => [`cluster/${key}`, rowOf(life)]),
  );
  const [[key, first] = assert.fail()] = rows;
  return new Map(rows).set(key, change(first));
}

test('rows as planned are off by nothing', () => {
  const { rows, missing, exact, sampled } = compared(counted(), expected);
  assert.equal(rows, expected.size);
  assert.deepEqual(missing, []);
  for (const { value, beyond } of [...Object.values(exact), ...Object.values(sampled)]) {
    assert.ok(value < 1e-12);
    assert.equal(beyond, 0);
  }
});

test('a life that is off by three billionths is seen, and usage beyond its bound', () => {
  const longer = (row: CountedRow): CountedRow => ({ ...row, minutes: row.minutes * (1 + 3e-9) });
  const { minutes } = compared(counted(longer), expected).exact;
  assert.ok((minutes?.value ?? 0) > 1e-9);
  assert.equal(minutes?.beyond, 1);
  const more = (row: CountedRow): CountedRow => ({ ...row, cpuCoreUsageAverage: 100 });
  const { cpuUsageHours } = compared(counted(more), expected).sampled;
  assert.ok((cpuUsageHours?.value ?? 0) > 1);
  assert.equal(cpuUsageHours?.beyond, 1);
  const nothing = (row: CountedRow): CountedRow => ({ ...row, cpuCoreHours: NaN });
  const { exact, sampled } = compared(counted(nothing), expected);
  const worst = [exact, sampled].map((figures) => figures['cpuHours']);
  assert.ok(worst.some((one) => Number.isNaN(one?.value) && one?.beyond === 1));
});

test('a row that lacks, and one that is made up, are named', () => {
  const rows = counted();
  const [[key, row] = assert.fail()] = rows;
  rows.delete(key);
  rows.set('cluster/node-9/team/made-up/app', row);
  const { missing } = compared(rows, expected);
  const lacks = `${key.replace('cluster/', '')} is not counted`;
  assert.deepEqual(missing, ['node-9/team/made-up/app is made up', lacks]);
});

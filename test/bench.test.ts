import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checksum, createCostSets, MEASURES, type CostSets } from '../bench/cost-sets.ts';
import { csvRowsBenchmarks } from '../bench/csv-rows.ts';
import { checksumOfColumns, createSheet } from '../bench/csv-sheet.ts';
import { focusBenchmarks } from '../bench/focus.ts';
import { writeFocusFile } from '../bench/focus-file.ts';
import { groupedSumsBenchmarks } from '../bench/grouped-sums.ts';
import { measureAll, toTable, type Benchmarks, type Measurement } from '../bench/harness.ts';
import { checksumOf, kinds, samplesOf, xorDecodeBenchmarks } from '../bench/xor-decode.ts';
import { matrixBenchmarks, seriesOf, weighed } from '../bench/matrix.ts';
import { setsBenchmarks } from '../bench/sets.ts';
import { storedBenchmarks } from '../bench/stored.ts';
import { usageFleet } from '../bench/usage-fleet.ts';
import { Arena, compileKernels, createEngine, createMemory } from '../src/columnar/index.ts';

async function smoke(benchmarks: Benchmarks): Promise<Measurement[][]> {
  const options = { isSmoke: true, withPeers: false, settings: {}, note: () => undefined };
  const all: Measurement[][] = [];
  for await (const measurements of measureAll(benchmarks, options)) all.push(measurements);
  return all;
}

function assertClose(actual: number, expected: number, name: string): void {
  assert.ok(Math.abs(actual - expected) <= Math.abs(expected) * 1e-9, `${name}: ${actual}`);
}

/** Row by row: measures by group, groups counted on from day to day if each day has its own. */
function sumsByRow(arena: Arena, sets: CostSets, isDaily: boolean): number {
  const cells: [number, number, number][] = [];
  sets.inputs.forEach((input, day) => {
    const keys = arena.i32(input.keys, input.rows);
    input.columns.forEach((at, measure) => {
      arena.f64(at, input.rows).forEach((value, row) => {
        cells.push([(isDaily ? day * sets.groups : 0) + (keys[row] ?? NaN), measure, value]);
      });
    });
  });
  return checksum(cells);
}

test('the grouped sums benchmark gets the sums of a row-by-row loop on any threads', async () => {
  const [daily, total, ...others] = await smoke(groupedSumsBenchmarks);
  assert.deepEqual(others, []);
  const cases: [Measurement[] | undefined, number, boolean][] = [
    [daily, 20, true],
    [total, 100, false],
  ];
  for (const [measurements = [], groups, isDaily] of cases) {
    const arena = new Arena(createMemory(16 << 20));
    const sets = createCostSets(arena, { days: 3, rowsPerDay: 2000, groups });
    const expected = sumsByRow(arena, sets, isDaily);
    const sums = measurements.filter(({ task }) => task.includes('sums'));
    assert.equal(sums.length, 4);
    for (const { task, checksum: actual } of sums) assertClose(actual, expected, task);
    const plain = sums.filter(({ task }) => task.startsWith('sums')).map((each) => each.checksum);
    assert.equal(new Set(plain).size, 1, 'one and two threads give the same bits');
  }
  assert.equal(MEASURES, 16);
});

test('the XOR benchmark decodes the samples that were encoded', async () => {
  const [measurements = []] = await smoke(xorDecodeBenchmarks);
  assert.equal(measurements.length, kinds.length);
  kinds.forEach((kind, i) => {
    let expected = 0;
    for (const samples of samplesOf(kind, 10)) {
      const times = Float64Array.from(samples, ({ timestampMs }) => Number(timestampMs));
      const bits = BigUint64Array.from(samples, ({ valueBits }) => valueBits);
      expected += checksumOf(times, new Float64Array(bits.buffer));
    }
    assertClose(measurements[i]?.checksum ?? NaN, expected, kind.name);
  });
});

test('the CSV benchmark writes every cell of its columns on any threads', async () => {
  const [numbers = [], rows = [], ...others] = await smoke(csvRowsBenchmarks);
  assert.deepEqual(others, []);
  const engine = createEngine(compileKernels(), createMemory(32 << 20), 1);
  const expected = checksumOfColumns(createSheet(engine, 5000));
  assert.equal(rows.length, 2);
  for (const { task, checksum: actual } of rows) assertClose(actual, expected, task);
  const [string, shortest, toFixed, fixed] = numbers.map((each) => each.checksum);
  assert.deepEqual([shortest, fixed], [string, toFixed]);
});

test('a table of measurements has a row a task', () => {
  const base = { title: 'Sums', unit: 'GB', ratio: 1, rate: 2.5, medianMs: 4, checksum: 7 };
  const table = toTable([
    { ...base, task: 'peer' },
    { ...base, task: 'own', medianMs: 1, ratio: 4, rate: 250, checksum: NaN },
  ]);
  assert.equal(
    table,
    [
      '**Sums**\n',
      '| task | median | ratio | rate | checksum |',
      '| --- | --- | --- | --- | --- |',
      '| peer | 4.00 ms | 1.00× | 2.5 GB/s | 7.000000000 |',
      '| own | 1.00 ms | 4.00× | 250 GB/s |  |\n',
    ].join('\n'),
  );
});

test('the benchmark of stored sets reads the same sums with few columns as with all', async () => {
  const [reads = [], changes = [], checks = []] = await smoke(setsBenchmarks);
  assert.equal(reads.length, 3);
  assert.equal(new Set(reads.map((each) => each.checksum)).size, 1, JSON.stringify(reads));
  assert.ok((reads[0]?.checksum ?? 0) > 0, 'something was read');
  assert.equal(changes.length, 2);
  assert.ok((checks[0]?.checksum ?? 0) > 100_000, 'every byte is checked');
});

test('the benchmark of stored days gets one sum for every way to ask', async () => {
  const tables = await smoke(storedBenchmarks);
  const pages = tables.map((table) => table.find(({ task }) => task === 'another page'));
  const [expected, ...sums] = pages.flatMap((page) => page?.checksum ?? []);
  assert.equal(sums.length, 3);
  for (const sum of sums) assertClose(sum, expected ?? NaN, 'another page');
});

test('the benchmark of bills keeps what the file bills', async () => {
  const path = join(tmpdir(), `prorata-focus-test-${process.pid}.csv`);
  const { billedUsd } = await writeFocusFile(path, 4e6);
  rmSync(path);
  const [[imported] = []] = await smoke(focusBenchmarks);
  assertClose(imported?.checksum ?? NaN, billedUsd, 'import focus');
});

test('the matrix benchmark reads the samples that were written, with either', async () => {
  const tables = await smoke(matrixBenchmarks);
  assert.equal(tables.length, 3);
  const fleet = usageFleet({ containers: 3, hours: 6, intervalMs: 60_000, isFourOnly: true });
  for (const table of tables) {
    const metric = /of (\w+)/.exec(table[0]?.title ?? '')?.[1] ?? '';
    const expected = seriesOf(fleet.series, metric).reduce((sum, series) => {
      const { timesMs, values } = series.samples();
      return weighed(sum, timesMs, values);
    }, 0);
    assert.deepEqual(
      table.map(({ checksum: actual }) => actual),
      [expected, expected],
    );
  }
});

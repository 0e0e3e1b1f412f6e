import { test } from 'node:test';
import assert from 'node:assert/strict';
import {
  accumulateUsage,
  compileKernels,
  createEngine,
  createMeter,
  readLabels,
  finishMeter,
  type Piece,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { placeBatch } from '../../support/references/arena-batch.ts';
import { KEY_LABELS, OWNER, runMeter, SECOND, T0 } from '../../support/arbitraries/meter-cases.ts';
import { placeLedger, placeRows, readRows } from '../../support/references/meter-ledger.ts';
import type { RowSums, TestLedger, TestSegment } from '../../support/references/meter-ledger.ts';
import type { Rules } from '../../support/references/meter-reference.ts';
import { encodeSamples, type TestSeries } from '../../support/stores/samples-encoding.ts';

const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), 1);
const { arena } = engine;
const LABELS: TestSeries['labels'] = [['namespace', 'default'], ['pod', 'a'], ['container', 'app']]; // prettier-ignore
const GAUGE: Rules = {
  resource: 'ram',
  isCounter: false,
  gapMs: 60 * SECOND,
  maxRate: 100,
};
const COUNTER: Rules = { ...GAUGE, resource: 'cpu', isCounter: true };
const FLAT = { request: [[T0, 2]], price: [[T0, 3]] } as const;

const at = (seconds: number): number => T0 + seconds * SECOND;

/** Another store's view of the container. */
const DOUBLE: TestSeries = {
  labels: [...LABELS, ['instance', 'second']],
  timestampsMs: [at(50)],
  values: [9],
};

/** The restarted container. */
const RUN: TestSeries = {
  labels: [...LABELS, ['id', 'second']],
  timestampsMs: [at(130), at(140)],
  values: [64, 69],
};

function segment(from: number, to: number, changes: Partial<TestSegment> = {}): TestSegment {
  const span = { startMs: at(from), endMs: at(to), zeroMs: NaN, container: 0 };
  return { ...span, cpu: FLAT, ram: FLAT, ...changes };
}

/** One container that runs for [0, 300) s in a window of [0, 300) s, or the segments given. */
function ledgerOf(...segments: TestSegment[]): TestLedger {
  return {
    identities: [{ key: ['default', 'a', 'app'], segments }],
    setsMs: [at(0), at(300)],
  };
}

function seriesOf(seconds: readonly number[], values: TestSeries['values']): TestSeries {
  return { labels: LABELS, timestampsMs: seconds.map(at), values };
}

/** Sums of the only row, in unit-seconds. */
function only(rows: readonly RowSums[][]): RowSums {
  const row = rows[0]?.[0];
  assert.ok(row, 'no row');
  const seconds = Object.entries(row).map(([name, ms]) => [
    name,
    name.endsWith('Max') ? ms : Math.round(ms * 1e6) / 1e9,
  ]);
  return Object.fromEntries(seconds) as RowSums;
}

function usageOf(series: readonly TestSeries[], rules: Rules, ...segments: TestSegment[]): number {
  const ledger = ledgerOf(...(segments.length ? segments : [segment(0, 300)]));
  return only(runMeter(engine, ledger, [series], rules).rows).usage;
}

test('a container without usage has its request, from its start to its end', () => {
  const { rows } = runMeter(engine, ledgerOf(segment(-100, 200)), [], GAUGE);
  assert.deepEqual(only(rows), {
    request: 400,
    requestCost: 1200,
    excess: 0,
    excessCost: 0,
    usage: 0,
    usageMax: 0,
  });
});

test('usage above the request is the excess, usage below it changes nothing', () => {
  const series = seriesOf([0, 60, 120, 180, 240, 300], [1, 5, 1, 2, 4, 0]);
  const { rows } = runMeter(engine, ledgerOf(segment(0, 300)), [[series]], GAUGE);
  assert.deepEqual(only(rows), {
    request: 600,
    requestCost: 1800,
    excess: 60 * 3 + 60 * 2,
    excessCost: (60 * 3 + 60 * 2) * 3,
    usage: 60 * (1 + 5 + 1 + 2 + 4),
    usageMax: 5,
  });
});

test('a changed price or request holds from its time, and the first one also before it', () => {
  const cpu = {
    request: [[at(100), 1], [at(200), 3]],
    price: [[at(50), 10], [at(150), 20]],
  } as const; // prettier-ignore
  const series = seriesOf([0, 60, 120, 180, 240, 300], [0, 120, 240, 360, 480, 600]);
  const { rows } = runMeter(engine, ledgerOf(segment(0, 300, { cpu })), [[series]], COUNTER);
  assert.deepEqual(only(rows), {
    request: 200 * 1 + 100 * 3,
    requestCost: 150 * 1 * 10 + 50 * 1 * 20 + 100 * 3 * 20,
    excess: 200 * 1,
    excessCost: 150 * 1 * 10 + 50 * 1 * 20,
    usage: 600,
    usageMax: 2,
  });
});

test('the edges of gauges are bridged within gapMs', () => {
  const rows: [string, readonly TestSeries[], number, ...TestSegment[]][] = [
    ['no sample', [], 0],
    ['a series without samples', [seriesOf([], [])], 0],
    ['only NaN', [seriesOf([10, 20], [NaN, NaN])], 0],
    ['one sample, back to the start', [seriesOf([50], [1])], 50],
    ['one sample, on to the end', [seriesOf([250], [1])], 50],
    ['one sample, at the very start of a short life', [seriesOf([0], [1])], 40, segment(0, 40)],
    ['one sample, at the very end', [seriesOf([300], [1])], 0],
    ['one sample, both ways', [seriesOf([30], [1])], 60, segment(0, 60)],
    ['one sample, too far from both ends', [seriesOf([150], [1])], 0],
    ['a start gapMs before the first sample', [seriesOf([60, 70], [1, 1])], 70],
    ['a start before gapMs before it', [seriesOf([61, 70], [1, 1])], 9],
    ['an end gapMs after the last sample', [seriesOf([230, 240], [1, 1])], 70],
    ['an end after gapMs after it', [seriesOf([230, 239], [1, 1])], 9],
    ['an end marker', [seriesOf([250, 260, 275], [1, 1, 'stale'])], 25],
    ['a gap is no usage', [seriesOf([0, 60, 121, 180], [1, 1, 1, 1])], 60 + 59],
    ['a time that comes twice', [seriesOf([100, 110, 110, 120], [1, 2, 9, 1])], 10 + 10 * 2],
    ['a time that comes twice, in two pieces',
      [seriesOf([100, 110], [1, 2]), seriesOf([110, 120], [9, 1])], 10 + 10 * 2],
    ['a double with the same start: the first to come', [seriesOf([50], [1]), DOUBLE], 50],
    ['a restart', [seriesOf([0, 60], [1, 2]), seriesOf([90, 150], [4, 1])], 60 + 30 * 2 + 60 * 4],
    ['a restart after an end marker',
      [seriesOf([0, 10, 20], [1, 1, 'stale']), seriesOf([40, 50], [1, 1])], 20 + 10],
    ['an end marker in the middle of a series',
      [seriesOf([0, 10, 20, 40, 50], [1, 1, 'stale', 1, 1])], 20 + 10],
    ['two lives, and samples in neither',
      [seriesOf([0, 50, 100, 150, 200], [1, 1, 1, 1, 1])], 20 + 20, segment(30, 50), segment(110, 130)],
  ]; // prettier-ignore
  for (const [title, series, expected, ...segments] of rows) {
    assert.equal(usageOf(series, GAUGE, ...segments), expected, title);
  }
});

test('the edges of counters are bridged within gapMs', () => {
  const zero = segment(0, 300, { zeroMs: at(0) });
  const rows: [string, readonly TestSeries[], number, ...TestSegment[]][] = [
    ['one sample of unknown start', [seriesOf([50], [40])], 0],
    ['one sample of a counter that started at zero', [seriesOf([50], [40])], 40, zero],
    ['the first rate, where the start is unknown',
      [seriesOf([20, 30, 40], [7, 17, 47])], 20 + 40],
    ['what the counter had, where it started at zero',
      [seriesOf([20, 30, 40], [7, 17, 47])], 47, zero],
    ['a start too long ago', [seriesOf([61, 71], [7, 17])], 10, zero],
    ['the last rate holds to the end',
      [seriesOf([230, 240, 250], [0, 10, 30])], 30 + 50 * 2],
    ['and not past an end marker',
      [seriesOf([230, 240, 250, 260], [0, 10, 30, 'stale'])], 30 + 10 * 2],
    ['nor beyond gapMs', [seriesOf([219, 229, 239], [0, 10, 30])], 30],
    ['a reset counts from zero', [seriesOf([100, 110, 120], [50, 60, 4])], 10 + 4],
    ['a restart counts from zero',
      [seriesOf([100, 110], [50, 60]), seriesOf([130, 140], [4, 9])], 10 + 4 + 5],
    ['a replacement goes on',
      [seriesOf([100, 110], [50, 60]), seriesOf([130, 140], [64, 69])], 10 + 4 + 5],
    ['another run counts from zero, however far it came',
      [seriesOf([100, 110], [50, 60]), RUN], 10 + 64 + 5],
    ['a gap is no usage', [seriesOf([100, 110, 171, 181], [0, 10, 71, 81])], 10 + 10],
    ['NaN is passed over', [seriesOf([100, 110, 120], [0, NaN, 10])], 10],
  ]; // prettier-ignore
  for (const [title, series, expected, ...segments] of rows) {
    assert.equal(usageOf(series, COUNTER, ...segments), expected, title);
  }
});

test('P-F2: samples that cannot be usage are dropped, and counted', () => {
  const rows: [string, TestSeries, Rules, number, number][] = [
    ['NaN and infinities', seriesOf([0, 10, 20, 30], [NaN, 1, Infinity, -Infinity]), GAUGE, 3, 30],
    ['a rate above maxRate', seriesOf([0, 10, 20, 30], [0, 10, 2000, 2010]), COUNTER, 1, 20],
    ['a gauge above maxRate', seriesOf([0, 10, 20], [1, 101, 1]), GAUGE, 1, 20],
    ['a gauge below zero', seriesOf([0, 10, 20], [1, -1, 1]), GAUGE, 1, 20],
    ['an end marker is no sample', seriesOf([0, 10], [1, 'stale']), GAUGE, 0, 10],
  ];
  for (const [title, series, rules, dropped, usage] of rows) {
    const outcome = runMeter(engine, ledgerOf(segment(0, 30)), [[series]], rules);
    assert.equal(outcome.dropped, dropped, title);
    assert.equal(only(outcome.rows).usage, usage, title);
  }
});

test('a repeated sample does not hide since when a dead container stands still', () => {
  const dead = seriesOf([10, 20, 30, 30], [0, 10, 10, 99]);
  const next = { ...RUN, timestampsMs: [at(15), at(25), at(35)], values: [100, 110, 120] };
  assert.equal(usageOf([dead, next], COUNTER, segment(10, 35)), 10 + 15);
});

test('pieces of unknown identities are handed over, and the others are still counted', () => {
  const stranger: TestSeries = { ...seriesOf([0, 60], [7, 8]), labels: [['pod', 'stranger']] };
  const known = seriesOf([0, 60, 120], [1, 1, 1]);
  const [first, second] = [
    { ...known, timestampsMs: known.timestampsMs.slice(0, 1), values: [1] },
    { ...known, timestampsMs: known.timestampsMs.slice(1), values: [1, 1] },
  ];
  const ledger = ledgerOf(segment(0, 120));
  const batch = encodeSamples([stranger, first, stranger, second, stranger]);
  const rows = placeRows(engine, OWNER, ledger);
  const tables = placeLedger(engine, OWNER, ledger);
  const meter = createMeter(arena, OWNER, tables, rows, { ...GAUGE, keyLabels: KEY_LABELS });
  const handed: object[] = [];
  const keep = (piece: Piece): void => {
    handed.push({
      labels: readLabels(Buffer.from(arena.buffer), piece.labels, piece.labelBytes),
      timestampsMs: [...arena.f64(piece.timestamps, piece.samples)],
      values: [...arena.f64(piece.values, piece.samples)],
    });
  };
  accumulateUsage(engine, meter, placeBatch(engine, OWNER, batch, 'samples'), OWNER, keep);
  finishMeter(engine, meter, 1);
  assert.deepEqual(handed, [stranger, stranger, stranger]);
  assert.equal(only(readRows(engine, rows, ledger)).usage, 120);
  arena.release(OWNER);
});

test('two meters over the same tables each fill their own rows', () => {
  const ledger = ledgerOf(segment(0, 100), segment(100, 300, { container: 1 }));
  const cpu = [seriesOf([0, 60, 120], [0, 60, 180]), seriesOf([180, 240], [200, 260])];
  const ram = [seriesOf([0, 60, 120], [8, 9, 1]), seriesOf([180, 240], [2, 3])];
  const tables = placeLedger(engine, OWNER, ledger);
  const rows = [placeRows(engine, OWNER, ledger), placeRows(engine, OWNER, ledger)];
  const meters = [COUNTER, GAUGE].map((rules, i) =>
    createMeter(arena, OWNER, tables, rows[i] ?? 0, { ...rules, keyLabels: KEY_LABELS }),
  );
  for (const i of [0, 1]) {
    [cpu, ram].forEach((series, which) => {
      const bytes = encodeSamples(series.slice(i, i + 1));
      const batch = placeBatch(engine, OWNER, bytes, 'samples');
      accumulateUsage(engine, meters[which] ?? 0, batch, OWNER, () => assert.fail('unknown'));
    });
  }
  for (const meter of meters) finishMeter(engine, meter, 1);
  const found = rows.map((address) => readRows(engine, address, ledger));
  arena.release(OWNER);
  assert.deepEqual(found, [
    runMeter(engine, ledger, [cpu], COUNTER).rows,
    runMeter(engine, ledger, [ram], GAUGE).rows,
  ]);
});

test('a counter that shows what cannot have been used counts what can', () => {
  const on8Cores = { ...segment(0, 300), cpu: { ...FLAT, capacity: 8 } };
  const seconds = [0, 15, 30, 45, 60];
  const rows: [string, readonly number[], number][] = [
    ['a reset counts from zero', [9000, 9030, 20, 50, 80], 30 + 20 + 30 + 30],
    ['a sample a little lower is passed over', [9000, 9030, 9020, 9090, 9120], 120],
    ['also where it stays so', [9000, 9030, 9020, 9025, 9120], 120],
    ['a sample much lower is no reset if it is back soon', [9000, 9030, 20, 9090, 9120], 120],
    ['nor are several, one after another', [9000, 20, 9060, 20, 9120], 120],
    ['of zero, too', [9000, 0, 9060, 0, 9120], 120],
    ['a jump counts nothing', [9000, 9030, 99_000, 99_030, 99_060], 30 + 0 + 30 + 30],
    ['nor do several', [99_000, 30, 99_000, 60, 90], 30 + 0 + 30 + 30],
    ['nor does its way back', [9000, 9030, 99_000, 9060, 9090], 30 + 0 + 30 + 30],
    ['twice what its node has is measured, as scrapes are late', [0, 240, 250, 260, 270], 270],
  ];
  for (const [title, values, expected] of rows) {
    const ended = { ...on8Cores, endMs: at(60) };
    assert.equal(usageOf([seriesOf(seconds, values)], COUNTER, ended), expected, title);
  }
});

test('a container that was scraped once used at the rate since its start', () => {
  const rows: [string, TestSegment, number][] = [
    ['its start is known', segment(0, 60, { zeroMs: at(0) }), 90],
    ['its start is known, and it is seen later', segment(20, 60, { zeroMs: at(0) }), 60],
    ['its start is unknown', segment(0, 60), 0],
  ];
  for (const [title, own, expected] of rows)
    assert.equal(usageOf([seriesOf([30], [45])], COUNTER, own), expected, title);
});

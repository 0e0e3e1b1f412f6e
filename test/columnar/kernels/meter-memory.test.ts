import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  accumulateUsage,
  Arena,
  compileKernels,
  createEngine,
  createMeter,
  METER_ROW,
  finishMeter,
  type ArenaBatch,
  type Owner,
} from '../../../src/columnar/index.ts';
import { CURSOR_BYTES } from '../../../src/columnar/faces/series.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import {
  endsOrRefuses,
  placeBatch,
  strayWrite,
  type Range,
} from '../../support/references/arena-batch.ts';
import { encodeChunked, encodeFrame, encodeMessage } from '../../support/stores/chunked-frames.ts';
import { KEY_LABELS, OWNER, runMeter, SECOND, T0 } from '../../support/arbitraries/meter-cases.ts';
import { placeLedger, placeRows, type TestLedger } from '../../support/references/meter-ledger.ts';
import type { Rules } from '../../support/references/meter-reference.ts';
import { encodeSamples, type TestSeries } from '../../support/stores/samples-encoding.ts';

/** Notes what it hands out, to the byte. */
class NotingArena extends Arena {
  noted: Range[] = [];
  override allocate(bytes: number, owner: Owner): number {
    const address = super.allocate(bytes, owner);
    this.noted.push([address, bytes]);
    return address;
  }
}

const memory = dirtyMemory(9 << 19, false);
const arena = new NotingArena(memory);
const small = { ...createEngine(compileKernels(), memory, 1), arena };
const large = createEngine(compileKernels(), dirtyMemory(64 << 20, false), 1);
const GAUGE: Rules = {
  resource: 'cpu',
  isCounter: false,
  gapMs: 60 * SECOND,
  maxRate: Infinity,
};
const FLAT = { request: [[T0, 1]], price: [[T0, 1]] } as const;
const DAY = 86_400 * SECOND;

/** Containers that run for `days`, in sets of a day. */
function ledgerOf(pods: readonly string[], days: number): TestLedger {
  return {
    identities: pods.map((pod, container) => ({
      key: ['default', pod, 'app'],
      segments: [
        {
          startMs: T0,
          endMs: T0 + days * DAY,
          zeroMs: T0,
          container,
          cpu: FLAT,
          ram: FLAT,
        },
      ],
    })),
    setsMs: Array.from({ length: days + 1 }, (_, day) => T0 + day * DAY),
  };
}

function seriesOf(pod: string, timestampsMs: number[], values: TestSeries['values']): TestSeries {
  return { labels: [['namespace', 'default'], ['pod', pod], ['container', 'app']], timestampsMs, values };
} // prettier-ignore

const LEDGER = ledgerOf(['a', 'b'], 2);

/** Adds `bytes`; it may write only to the rows, the meter, its own allocations and scratch. */
function outcome(bytes: Uint8Array, encoding: ArenaBatch['encoding']): 'ended' | 'refused' {
  const tables = placeLedger(small, OWNER, LEDGER);
  const rows = placeRows(small, OWNER, LEDGER);
  const batch = placeBatch(small, OWNER, bytes, encoding);
  let ending: 'ended' | 'refused' = 'ended';
  arena.noted = [];
  const act = (): void => {
    const meter = createMeter(arena, OWNER, tables, rows, { ...GAUGE, keyLabels: KEY_LABELS });
    ending = endsOrRefuses(() => accumulateUsage(small, meter, batch, OWNER, () => undefined));
    finishMeter(small, meter, LEDGER.identities.length);
  };
  const written = (): Range[] => [
    [small.crcTable, small.rowCells - small.crcTable],
    [small.cursor, CURSOR_BYTES],
    [rows, 4 * METER_ROW.bytes],
    ...arena.noted,
  ];
  const stray = strayWrite(small, act, written);
  arena.release(OWNER);
  assert.equal(stray, -1, 'wrote outside its tables');
  return ending;
}

const times = Array.from({ length: 40 }, (_, i) => T0 + i * 15 * SECOND);
const series = [
  seriesOf('a', times, times.map((_, i) => (i % 9 ? i : 'stale'))),
  seriesOf('b', times.slice(7), times.slice(7).map((_, i) => (i % 5 ? i : NaN))),
  seriesOf('c', [T0], [1]),
]; // prettier-ignore

test('damaged bytes never trap the meter, nor make it write outside its tables', () => {
  const change = fc.tuple(fc.nat(5000), fc.nat(255));
  const message = encodeMessage(series);
  const blocks = encodeSamples(series);
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const [chunked, samples] = [Buffer.from(message), Buffer.from(blocks)];
      for (const [at, byte] of changes) {
        chunked.writeUInt8(byte, at % chunked.length);
        samples.writeUInt8(byte, at % samples.length);
      }
      assert.match(outcome(encodeFrame(chunked), 'chunked-read'), /ended|refused/);
      assert.match(outcome(samples, 'samples'), /ended|refused/);
    }),
    { numRuns: 200 },
  );
});

test('any times and values, sorted or not, leave the rest of the memory alone', () => {
  const number = fc.oneof(
    fc.double(),
    fc.nat(100).map((seconds) => T0 + seconds * SECOND),
  );
  const samples = fc.array(fc.tuple(number, number), { maxLength: 300, size: 'max' });
  fc.assert(
    fc.property(samples, (all) => {
      const one = seriesOf(
        'a',
        all.map(([ms]) => ms),
        all.map(([, value]) => value),
      );
      assert.equal(outcome(encodeSamples([one, one]), 'samples'), 'ended');
    }),
    { numRuns: 200, endOnFailure: true },
  );
});

test('spans grow as gaps need them, whatever dropped samples are in the gaps', () => {
  const rows: [string, number, (i: number) => number | 'stale'][] = [
    ['a gap at each sample', 61, () => 1],
    ['an end marker at every other', 15, (i) => (i % 2 ? 'stale' : 1)],
    ['a gap with a NaN in its middle', 31, (i) => (i % 2 ? NaN : 1)],
    ['a gap with an infinity in its middle', 31, (i) => (i % 2 ? Infinity : 1)],
  ];
  for (const [title, seconds, valueOf] of rows) {
    const timestampsMs = Array.from({ length: 6000 }, (_, i) => T0 + i * seconds * SECOND);
    const one = seriesOf('a', timestampsMs, timestampsMs.map((_, i) => valueOf(i)));
    assert.equal(outcome(encodeSamples([one]), 'samples'), 'ended', title);
    assert.equal(outcome(encodeChunked([one]), 'chunked-read'), 'ended', title);
  }
}); // prettier-ignore

test('a million samples of one series are integrated', () => {
  const length = 1_000_000;
  const days = 12;
  const timestampsMs = Array.from({ length }, (_, i) => T0 + i * SECOND);
  const gauge = seriesOf('a', timestampsMs, timestampsMs.map((_, i) => 1 + (i % 2)));
  const counter = seriesOf('a', timestampsMs, timestampsMs.map((_, i) => 2 * (i % 3000)));
  const ledger = ledgerOf(['a'], days);
  const sum = ({ rows }: ReturnType<typeof runMeter>, name: 'usage' | 'excess'): number =>
    (rows[0] ?? []).reduce((total, row) => total + row[name], 0) / SECOND;
  const gauges = runMeter(large, ledger, [[gauge]], GAUGE);
  assert.equal(sum(gauges, 'usage'), 1.5 * length - 2);
  assert.equal(sum(gauges, 'excess'), length / 2 - 1);
  const counters = runMeter(large, ledger, [[counter]], { ...GAUGE, isCounter: true });
  const resets = Math.floor(length / 3000);
  assert.equal(sum(counters, 'usage'), 2 * (length - 1 - resets));
}); // prettier-ignore

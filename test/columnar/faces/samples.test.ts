/** Usage that a meter counts in sketches, against lists of the usage of each stretch and hour. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  accumulateUsage,
  compileKernels,
  createEngine,
  createMeter,
  SAMPLED,
  sampleUsage,
  finishMeter,
  sketchQuantiles,
  type Sketches,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { placeBatch } from '../../support/references/arena-batch.ts';
import {
  anyCase,
  KEY_LABELS,
  OWNER,
  runMeter,
  SECOND,
  T0,
} from '../../support/arbitraries/meter-cases.ts';
import {
  containersOf,
  placeLedger,
  placeRows,
  readRows,
} from '../../support/references/meter-ledger.ts';
import type { RowSums, TestLedger } from '../../support/references/meter-ledger.ts';
import type { Rules } from '../../support/references/meter-reference.ts';
import { encodeSamples, type TestSeries } from '../../support/stores/samples-encoding.ts';
import { bytesOf, sketchesOf } from '../../support/arbitraries/sketches.ts';

const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), 1);
const { arena } = engine;
const HOUR = 3600 * SECOND;
/** So short a gap holds whatever the interval of a series. */
const GAP = 599 * SECOND;

interface Sampled {
  readonly rows: RowSums[][];
  /** A slot for each row, with sketches as SAMPLED. */
  readonly sketches: Sketches;
}

/** The caller releases OWNER. */
function sampled(ledger: TestLedger, batches: readonly TestSeries[][], rules: Rules): Sampled {
  const rows = placeRows(engine, OWNER, ledger);
  const tables = placeLedger(engine, OWNER, ledger);
  const meter = createMeter(arena, OWNER, tables, rows, { ...rules, keyLabels: KEY_LABELS });
  const rowCount = containersOf(ledger) * (ledger.setsMs.length - 1);
  const slots = arena.allocate(4 * rowCount, OWNER);
  arena.u32(slots, rowCount).set(Array.from({ length: rowCount }, (_, row) => row));
  const sketches = sampleUsage(arena, OWNER, meter, { slots, slotCount: rowCount, rowCount });
  for (const series of batches) {
    const batch = placeBatch(engine, OWNER, encodeSamples(series), 'samples');
    accumulateUsage(engine, meter, batch, OWNER, () => undefined);
  }
  finishMeter(engine, meter, ledger.identities.length);
  return { rows: readRows(engine, rows, ledger), sketches };
}

interface Course {
  readonly ledger: TestLedger;
  readonly series: TestSeries;
  readonly rules: Rules;
}

/** One series that covers its container's life over hours, without edges to be bridged. */
const course: fc.Arbitrary<Course> = fc
  .record({
    isCounter: fc.boolean(),
    steps: fc.array(
      fc.tuple(
        fc.oneof(fc.constant(60), fc.integer({ min: 1, max: 700 })),
        fc.double({ min: 0, max: 8, noNaN: true }),
      ),
      { minLength: 2, maxLength: 200, size: 'max' },
    ),
    sets: fc.array(fc.integer({ min: 600, max: 20_000 }), { minLength: 1, maxLength: 4 }),
  })
  .map(({ isCounter, steps, sets }) => {
    let [ms, total, end] = [T0 - 100 * SECOND, 0, T0];
    const timestampsMs = steps.map(([seconds]) => (ms += seconds * SECOND));
    const values = steps.map(([seconds, usage]) =>
      isCounter ? (total = usage < 0.5 ? 0 : total + seconds * usage) : usage,
    );
    const none = { request: [], price: [] };
    const life = { startMs: timestampsMs[0] ?? 0, endMs: ms };
    const segment = { ...life, zeroMs: NaN, container: 0, cpu: none, ram: none };
    const rules = {
      resource: 'cpu',
      isCounter,
      gapMs: GAP,
      maxRate: 1e6,
    } as const;
    const labels = [['namespace', 'a'], ['pod', 'b'], ['container', 'c']] as const; // prettier-ignore
    return {
      ledger: {
        identities: [{ key: ['a', 'b', 'c'], segments: [segment] }],
        setsMs: [T0, ...sets.map((seconds) => (end += seconds * SECOND))],
      },
      series: { labels, timestampsMs, values },
      rules,
    };
  });

interface Lists {
  readonly usage: number[];
  readonly hours: Map<number, { usage: number; ms: number; most: number }>;
}

/** The values to be counted in the set [startMs, endMs). */
function listsOf({ series, rules }: Course, startMs: number, endMs: number): Lists {
  const lists: Lists = { usage: [], hours: new Map() };
  series.timestampsMs.forEach((toMs, i) => {
    const fromMs = series.timestampsMs[i - 1] ?? -Infinity;
    if (toMs - fromMs > GAP) return;
    const [before, after] = [Number(series.values[i - 1]), Number(series.values[i])];
    const increase = after < before ? after : after - before;
    const usage = rules.isCounter ? (increase * 1000) / (toMs - fromMs) : before;
    if (toMs > startMs && toMs <= endMs) lists.usage.push(usage);
    for (let at = startMs, hour = 0; at < endMs; at += HOUR, hour++) {
      const ms = Math.min(toMs, at + HOUR, endMs) - Math.max(fromMs, at);
      if (!(ms > 0)) continue;
      const sum = lists.hours.get(hour) ?? { usage: 0, ms: 0, most: 0 };
      const most = Math.max(sum.most, usage);
      lists.hours.set(hour, { usage: sum.usage + usage * ms, ms: sum.ms + ms, most });
    }
  });
  return lists;
}

test('each stretch counts in the set in which it ends, each hour by average and maximum', () => {
  fc.assert(
    fc.property(course, (one) => {
      const { sketches } = sampled(one.ledger, [[one.series]], one.rules);
      const found = bytesOf(engine, sketches);
      one.ledger.setsMs.slice(1).forEach((endMs, set) => {
        const lists = listsOf(one, one.ledger.setsMs[set] ?? NaN, endMs);
        const hours = [...lists.hours.values()];
        const maxima = hours.map(({ most }) => most);
        const [usage, most] = bytesOf(engine, sketchesOf(engine, [lists.usage, maxima]));
        assert.deepEqual(found[3 * set], usage);
        assert.deepEqual(found[3 * set + 2], most);
        const averages = hours.map(({ usage: sum, ms }) => sum / ms);
        assertClose(sketches, 3 * set + 1, averages);
      });
      arena.release(OWNER);
    }),
    { numRuns: 200 },
  );
});

/** Sums are rounded, so that a value may be in the next bucket. */
function assertClose(sketches: Sketches, place: number, list: readonly number[]): void {
  list
    .toSorted((a, b) => a - b)
    .forEach((value, i, { length }) => {
      const q = length === 1 ? 0 : Math.min(1, (i + 1e-6) / (length - 1));
      const found = sketchQuantiles(engine, OWNER, sketches, q)[place] ?? NaN;
      assert.ok(Math.abs(found - value) <= 0.01001 * value + 1e-9, `${found}, not ${value}`);
    });
}

test('sums are the same to the bit whether usage is counted or not', () => {
  fc.assert(
    fc.property(anyCase(), ({ ledger, series, rules }) => {
      const plain = runMeter(engine, ledger, [series.flat()], rules).rows;
      assert.deepEqual(sampled(ledger, [series.flat()], rules).rows, plain);
      arena.release(OWNER);
    }),
    { numRuns: 200 },
  );
});

test('a series in many batches is counted like one in a single batch', () => {
  fc.assert(
    fc.property(course, fc.integer({ min: 1, max: 50 }), ({ ledger, series, rules }, samples) => {
      const whole = bytesOf(engine, sampled(ledger, [[series]], rules).sketches);
      const parts: TestSeries[][] = [];
      for (let at = 0; at < series.values.length; at += samples) {
        const { labels, timestampsMs, values } = series;
        const to = at + samples;
        parts.push([{ labels, timestampsMs: timestampsMs.slice(at, to), values: values.slice(at, to) }]); // prettier-ignore
      }
      assert.deepEqual(bytesOf(engine, sampled(ledger, parts, rules).sketches), whole);
      arena.release(OWNER);
    }),
    { numRuns: 100 },
  );
});

test('the largest usage counted is the row’s largest', () => {
  fc.assert(
    fc.property(anyCase(), ({ ledger, series, rules }) => {
      const { rows, sketches } = sampled(ledger, [series.flat()], rules);
      const largest = sketchQuantiles(engine, OWNER, sketches, 1);
      rows.flat().forEach(({ usageMax }, row) => {
        const [usage, , hourly] = [0, 1, 2].map((i) => largest[SAMPLED.length * row + i] ?? NaN);
        const most = Math.max(0, usage || 0, hourly || 0);
        assert.ok(most <= 1.0101 * usageMax + 1e-9, `${most} is more than ${usageMax}`);
      });
      arena.release(OWNER);
    }),
    { numRuns: 200 },
  );
});

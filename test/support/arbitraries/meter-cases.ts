/** Generated ledgers and series for meters, and a run of a meter over them. */
import fc from 'fast-check';
import {
  accumulateUsage,
  createMeter,
  droppedSamples,
  finishMeter,
  type ArenaBatch,
  type Engine,
  type KeyLabels,
} from '../../../src/columnar/index.ts';
import { placeBatch } from '../references/arena-batch.ts';
import {
  placeLedger,
  placeRows,
  readRows,
  type RowSums,
  type Runs,
  type TestIdentity,
  type TestLedger,
} from '../references/meter-ledger.ts';
import type { Rules } from '../references/meter-reference.ts';
import type { TestSeries } from '../stores/samples-encoding.ts';
import { ENCODERS } from '../stores/stored-series.ts';

export const T0 = 1_767_225_600_000;
export const SECOND = 1000;
export const OWNER = 2;
export const KEY_LABELS: KeyLabels = {
  parts: [['namespace'], ['pod'], ['container']],
  fallbacks: ['', '', ''],
  life: ['id'],
};

export interface Outcome {
  readonly rows: RowSums[][];
  readonly dropped: number;
  /** Labels' bytes of the pieces that were unknown. */
  readonly unknown: Uint8Array[];
}

/** Runs a meter over batches of series. */
export function runMeter(
  engine: Engine,
  ledger: TestLedger,
  batches: readonly (readonly TestSeries[])[],
  rules: Rules,
  encoding: ArenaBatch['encoding'] = 'samples',
): Outcome {
  const { arena } = engine;
  const rows = placeRows(engine, OWNER, ledger);
  const tables = placeLedger(engine, OWNER, ledger);
  const meter = createMeter(arena, OWNER, tables, rows, { ...rules, keyLabels: KEY_LABELS });
  const unknown: Uint8Array[] = [];
  for (const series of batches) {
    const bytes = ENCODERS[encoding](series);
    const batch = placeBatch(engine, OWNER, bytes, encoding);
    accumulateUsage(engine, meter, batch, OWNER, (piece) => {
      unknown.push(arena.u8(piece.labels, piece.labelBytes).slice());
    });
    arena.free(batch.address, bytes.length + 16);
  }
  finishMeter(engine, meter, ledger.identities.length);
  const outcome = {
    rows: readRows(engine, rows, ledger),
    dropped: droppedSamples(arena, meter),
    unknown,
  };
  arena.release(OWNER);
  return outcome;
}

const runs: fc.Arbitrary<Runs> = fc
  .uniqueArray(fc.tuple(fc.integer({ min: -300, max: 1500 }), fc.nat(8)), {
    selector: ([seconds]) => seconds,
    maxLength: 4,
    size: 'max',
  })
  .map((pairs) =>
    pairs
      .sort(([a], [b]) => a - b)
      .map(([seconds, value]): [number, number] => [T0 + seconds * SECOND, value / 2]),
  );
const tariff = fc.record({
  request: runs,
  price: runs,
  capacity: fc.constantFrom(Infinity, Infinity, 8, 2),
});
const segment = fc.record({
  pause: fc.constantFrom(0, 0, 10, 200),
  lasts: fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 90, max: 1200 })),
  /** How long before its start its counter stood at zero, in s. */
  zeroSeconds: fc.constantFrom(NaN, 0, 45),
  isNewContainer: fc.boolean(),
  cpu: tariff,
  ram: tariff,
});

export const anyLedger: fc.Arbitrary<TestLedger> = fc
  .record({
    identities: fc.array(
      fc.tuple(
        fc.integer({ min: -300, max: 400 }),
        fc.array(segment, { minLength: 1, maxLength: 3 }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    sets: fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 6, size: 'max' }),
  })
  .map(({ identities, sets }) => {
    let container = -1;
    const made = identities.map(([seconds, segments], i): TestIdentity => {
      let at = seconds;
      container++;
      return {
        key: ['default', `pod-${i}`, 'app'],
        segments: segments.map(({ pause, lasts, isNewContainer, zeroSeconds, ...rest }) => {
          const startMs = T0 + (at + pause) * SECOND;
          at += pause + lasts;
          if (isNewContainer) container++;
          const zeroMs = startMs - zeroSeconds * SECOND;
          return { ...rest, startMs, zeroMs, endMs: T0 + at * SECOND, container };
        }),
      };
    });
    let end = 0;
    return { identities: made, setsMs: [0, ...sets].map((lasts) => T0 + (end += lasts) * SECOND) };
  });

const deltaMs = fc.oneof(
  { weight: 10, arbitrary: fc.constant(15 * SECOND) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 60 * SECOND }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 60 * SECOND, 60 * SECOND + 1, 300 * SECOND) },
);
/** What a single sample of a counter shows instead of its total, by a number that stands for it. */
const FAULTS: ReadonlyMap<number, (total: number) => number> = new Map([
  [-2, (total) => 0.9 * total],
  [-3, (total) => 0.05 * total],
  [-4, (total) => total + 1e5],
]);
const value = fc.oneof(
  { weight: 12, arbitrary: fc.nat(80).map((v) => v / 10) },
  { weight: 1, arbitrary: fc.constantFrom<(number | 'stale')[]>(NaN, Infinity, 1e6, -1, 'stale') },
  { weight: 1, arbitrary: fc.constantFrom(...FAULTS.keys()) },
);

/** Values grow by what is generated, now and then start again, and now and then show something else. */
function accumulate(values: readonly (number | 'stale')[]): (number | 'stale')[] {
  let total = 0;
  return values.map((value) => {
    if (value === 'stale' || !Number.isFinite(value)) return value;
    const fault = FAULTS.get(value);
    if (fault) return fault(total);
    if (value >= 0 && value < 0.2) total = 0;
    return (total += Math.abs(value) * 15);
  });
}

/** Series of one identity by number: gauges, or counters. */
export function anySeries(isCounter: boolean, longest = 60): fc.Arbitrary<TestSeries[]> {
  const one = fc
    .record({
      from: fc.integer({ min: -300, max: 900 }),
      life: fc.constantFrom('1', '2'),
      samples: fc.array(fc.tuple(deltaMs, value), {
        minLength: 1,
        maxLength: longest,
        size: 'max',
      }),
    })
    .map(({ from, life, samples }): TestSeries => {
      let ms = T0 + from * SECOND;
      const values = samples.map(([, v]) => v);
      return {
        labels: [['id', life]],
        timestampsMs: samples.map(([delta]) => (ms += delta)),
        values: isCounter ? accumulate(values) : values,
      };
    });
  return fc
    .array(one, { maxLength: 4, size: 'max' })
    .map((all) =>
      all.map((part, i) => ({ ...part, labels: [...part.labels, ['instance', `${i}`]] })),
    );
}

/** The series with their identity's labels, which differ in `instance`. */
export function labelled(ledger: TestLedger, series: readonly TestSeries[][]): TestSeries[][] {
  return series.map((all, i) => {
    const [namespace = '', pod = '', container = ''] = ledger.identities[i]?.key ?? [];
    return all.map((one) => ({
      ...one,
      labels: [['namespace', namespace], ['pod', pod], ['container', container], ...one.labels],
    })); // prettier-ignore
  });
}

export interface Case {
  readonly ledger: TestLedger;
  /** By identity, in the order of arrival. */
  readonly series: TestSeries[][];
  readonly rules: Rules;
}

export function anyCase(longest = 60): fc.Arbitrary<Case> {
  return fc
    .record({
      ledger: anyLedger,
      isCounter: fc.boolean(),
      resource: fc.constantFrom('cpu' as const, 'ram' as const),
    })
    .chain(({ ledger, ...rest }) => {
      const rules = { ...rest, gapMs: 60 * SECOND, maxRate: 1000 };
      const all = ledger.identities.map(() => anySeries(rest.isCounter, longest));
      return fc
        .tuple(...all)
        .map((series) => ({ ledger, rules, series: labelled(ledger, series) }));
    });
}

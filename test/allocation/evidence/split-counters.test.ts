/** Counters in parts add up as a plain sum by labels and times does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { piecesOf, storePiece } from '../../../src/allocation/evidence/stored-pieces.ts';
import { sumParts } from '../../../src/allocation/evidence/split-counters.ts';
import { Arena, readLabels, type Block, type Piece } from '../../../src/columnar/index.ts';
import { encodeLabels } from '../../../src/metrics/samples.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const OWNER = 3;
const STALE_BITS = 0x7ff0000000000002n;

type Labels = Readonly<Record<string, string>>;
type Value = number | 'stale' | 'NaN';

/** A part of a series, as a store may send it. */
interface Sent {
  readonly labels: Labels;
  readonly samples: readonly (readonly [timeMs: number, value: Value])[];
}

const arena = new Arena(dirtyMemory(16 << 20));

function place({ labels, samples }: Sent): Piece {
  const text = encodeLabels(labels);
  const at = arena.allocate(text.length + 8 + 16 * samples.length, OWNER);
  const timestamps = at + 8 * Math.ceil(text.length / 8);
  const values = timestamps + 8 * samples.length;
  arena.u8(at, text.length).set(text);
  arena.f64(timestamps, samples.length).set(samples.map(([timeMs]) => timeMs));
  const numbers = arena.f64(values, samples.length);
  const bits = new BigUint64Array(numbers.buffer, numbers.byteOffset, samples.length);
  samples.forEach(([, value], i) => {
    if (value === 'stale') bits[i] = STALE_BITS;
    else numbers[i] = Number(value);
  });
  return { labels: at, labelBytes: text.length, timestamps, values, samples: samples.length };
}

/** Sums by labels (as JSON) and times. */
type Sums = Record<string, Record<number, Value>>;

function summed(sent: readonly Sent[]): Sums {
  const blocks: Block[] = [];
  for (const each of sent) storePiece(arena, OWNER, blocks, place(each));
  const sums: Sums = {};
  for (const piece of piecesOf(arena, sumParts(arena, OWNER, blocks, 'cpu'))) {
    const text = Buffer.from(arena.u8(piece.labels, piece.labelBytes));
    const labels = JSON.stringify(readLabels(text, 0, text.length));
    assert.equal(sums[labels], undefined, 'a counter comes once');
    const numbers = arena.f64(piece.values, piece.samples);
    const bits = new BigUint64Array(numbers.buffer, numbers.byteOffset, piece.samples);
    const times = [...arena.f64(piece.timestamps, piece.samples)];
    assert.deepEqual(
      times,
      [...new Set(times)].toSorted((a, b) => a - b),
    );
    sums[labels] = Object.fromEntries(
      times.map((timeMs, i): [number, Value] => {
        const value = numbers[i] ?? NaN;
        if (bits[i] === STALE_BITS) return [timeMs, 'stale'];
        return [timeMs, Number.isFinite(value) ? value : 'NaN'];
      }),
    );
  }
  arena.release(OWNER);
  return sums;
}

/** The obvious way: each series as a table of its times, then the sum at each time of any. */
function reference(sent: readonly Sent[]): Sums {
  const series = new Map<string, Map<number, Value>>();
  for (const { labels, samples } of sent) {
    const name = JSON.stringify(Object.entries(labels));
    const table = series.get(name) ?? new Map<number, Value>();
    series.set(name, table);
    for (const [timeMs, value] of samples)
      if (timeMs > Math.max(-Infinity, ...table.keys())) table.set(timeMs, value);
  }
  const values: Record<string, Record<number, Value[]>> = {};
  for (const [name, table] of series) {
    const labels = (JSON.parse(name) as [string, string][]).filter(([label]) => label !== 'cpu');
    const counter = (values[JSON.stringify(labels)] ??= {});
    for (const [timeMs, value] of table) (counter[timeMs] ??= []).push(value);
  }
  const sumOf = (all: readonly Value[]): Value => {
    if (all.includes('NaN')) return 'NaN';
    const numbers = all.filter((value) => typeof value === 'number');
    return numbers.length === 0 ? 'stale' : numbers.reduce((sum, value) => sum + value, 0);
  };
  return Object.fromEntries(
    Object.entries(values).map(([labels, counter]) => [
      labels,
      Object.fromEntries(Object.entries(counter).map(([timeMs, all]) => [timeMs, sumOf(all)])),
    ]),
  );
}

const labels = fc
  .tuple(
    fc.constantFrom('app', 'log'),
    fc.constantFrom('', 'a', 'b'),
    fc.constantFrom('cpu00', 'cpu01', 'cpu63'),
    // Longer than a length of one byte can say.
    fc.constantFrom('', 'x'.repeat(130)),
  )
  .map(([container, replica, cpu, image]): Labels => {
    const all = { container, cpu, cpus: 'all', image, replica };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  });
const sample = fc.tuple(
  fc.nat(40).map((n) => n * 15_000),
  // Quarters add up exactly, in any order.
  fc.oneof(
    { weight: 9, arbitrary: fc.nat(4000).map((n): Value => n / 4) },
    fc.constantFrom<Value>('stale', 'NaN'),
  ),
);
const sent = fc.record({ labels, samples: fc.array(sample, { minLength: 1, maxLength: 8 }) });

test('parts of counters add up by labels and times, however they are sent', () => {
  fc.assert(
    fc.property(fc.array(sent, { minLength: 1, maxLength: 20 }), (all) => {
      assert.deepEqual(summed(all), reference(all));
    }),
    { numRuns: 500 },
  );
});

test('a part that begins later, and one that ends, take nothing from the others', () => {
  const at = (cpu: string, ...samples: Sent['samples']): Sent => ({
    labels: { container: 'app', cpu },
    samples,
  });
  const sums = summed([
    at('cpu00', [0, 1], [15, 2], [30, 3], [45, 'stale']),
    at('cpu01', [15, 0.5], [30, 'stale'], [45, 'stale']),
  ]);
  assert.deepEqual(sums, { '[["container","app"]]': { 0: 1, 15: 2.5, 30: 3, 45: 'stale' } });
});

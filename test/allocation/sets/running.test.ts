/** Which members run in a set, and their shares of a pod: kernels against one member after the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { coverage } from '../../../src/allocation/inventory/coverage.ts';
import { compileKernels, createEngine, runningIn, sharePods } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), 1);
const { arena } = engine;
const space = { engine, owner: TASK };

const member = fc.record({
  lives: fc
    .uniqueArray(fc.integer({ min: 0, max: 3000 }), { maxLength: 8 })
    .map((times) => times.toSorted((a, b) => a - b).slice(0, times.length & ~1)),
  row: fc.nat(1000),
  firstSet: fc.nat(4),
  sets: fc.nat(4),
  leftOut: fc.boolean(),
  uncertaintyMs: fc.constantFrom(0, 60, 0.1, 1e9),
  pod: fc.nat(3),
});
type Member = typeof member extends fc.Arbitrary<infer M> ? M : never;
const set = fc.record({
  index: fc.nat(4),
  startMs: fc.constantFrom(0, 1000, 1000.5),
  endMs: fc.constantFrom(1000, 2000, 2000.25),
  resolutionMs: fc.constantFrom(0, 1, 7, 100, 333.3),
});

function codes(values: readonly number[]): Uint32Array {
  const own = arena.u32(arena.allocate(4 * values.length + 4, TASK), values.length);
  own.set(values);
  return own;
}

function numbers(values: readonly number[]): Float64Array {
  const own = arena.f64(arena.allocate(8 * values.length + 8, TASK), values.length);
  own.set(values);
  return own;
}

test('members run where their lives are seen, as long as these tell', () => {
  fc.assert(
    fc.property(fc.array(member, { maxLength: 20 }), set, (all, of) => {
      const stretches = all.map(({ lives }) => lives.length / 2);
      const none = all.map(() => 0);
      const runs = {
        members: codes(none),
        rows: codes(none),
        startsMs: numbers(none),
        endsMs: numbers(none),
        least: numbers(none),
        most: numbers(none),
      };
      const lives = {
        row: codes(all.map(({ row }) => row)),
        firstSet: codes(all.map(({ firstSet }) => firstSet)),
        sets: codes(all.map(({ sets }) => sets)),
        stretch: codes(
          all.map((_, i) => stretches.slice(0, i).reduce((sum, count) => sum + count, 0)),
        ),
        stretches: codes(stretches),
        leftOut: codes(all.map(({ leftOut }) => Number(leftOut))),
        uncertaintiesMs: numbers(all.map(({ uncertaintyMs }) => uncertaintyMs)),
        timesMs: numbers(all.flatMap((each) => each.lives)),
      };
      const ran = runningIn(space, lives, of, runs);
      const expected = all.flatMap((each, i) => {
        const place = of.index - each.firstSet;
        const seen = coverage(Float64Array.from(each.lives), of, each.uncertaintyMs);
        const isThere = place >= 0 && place < each.sets && !each.leftOut;
        if (!isThere || !(seen.startMs < seen.endMs)) return [];
        const { startMs, endMs, leastMs, mostMs, coveredMs } = seen;
        return [[i, each.row + place, startMs, endMs, leastMs / coveredMs, mostMs / coveredMs]];
      });
      const told = Array.from({ length: ran }, (_, i) =>
        Object.values(runs).map((column: Uint32Array | Float64Array) => column[i]),
      );
      assert.deepEqual(told, expected);
      arena.release(TASK);
    }),
  );
});

test('a pod is divided evenly among those of its members that ran', () => {
  const some = fc.array(fc.tuple(member, fc.boolean()), { maxLength: 20 });
  fc.assert(
    fc.property(some, fc.nat(4), (all, index) => {
      const running = [...all.keys()].filter((i) => all[i]?.[1]);
      const column = (of: (of: Member) => number): Uint32Array =>
        codes(all.map(([each]) => of(each)));
      const pods = {
        // Below the number of members.
        place: column(({ pod }) => Math.min(pod, all.length - 1)),
        row: column(({ row }) => row),
        firstSet: column(({ firstSet }) => firstSet),
        sets: column(({ sets }) => sets),
      };
      const own = codes(running);
      const rows = arena.i32(own.byteOffset, running.length);
      const shares = numbers(running);
      sharePods(space, pods, codes(running), index, { rows, shares });
      for (const [i, place] of running.entries()) {
        const { row, firstSet, sets } = all[place]?.[0] ?? { row: 0, firstSet: 0, sets: 0 };
        const isThere = index >= firstSet && index < firstSet + sets;
        assert.equal(rows[i], isThere ? row + index - firstSet : -1);
        const others = running.filter((other) => pods.place[other] === pods.place[place]);
        assert.equal(shares[i], 1 / others.length);
      }
      arena.release(TASK);
    }),
  );
});

/** Which members run in a set, and their shares of a pod: kernels against one member after the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileKernels, createEngine, runningIn, sharePods } from '../../../src/columnar/index.ts';
import { someLives } from '../../support/arbitraries/lives.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), 1);
const { arena } = engine;
const space = { engine, owner: TASK };

const member = fc.record({
  lives: someLives,
  row: fc.nat(1000),
  firstSet: fc.nat(4),
  sets: fc.nat(4),
  leftOut: fc.boolean(),
  startUncertaintyMs: fc.constantFrom(0, 60, 1e9),
  endUncertaintyMs: fc.constantFrom(0, 60, 1e9),
  gapUncertaintyMs: fc.constantFrom(0, 60, 1e9),
  pod: fc.nat(3),
});
type Member = typeof member extends fc.Arbitrary<infer M> ? M : never;
type Set = typeof set extends fc.Arbitrary<infer S> ? S : never;
const set = fc.record({
  index: fc.nat(4),
  startMs: fc.constantFrom(0, 1000),
  endMs: fc.constantFrom(1000, 2000),
  resolutionMs: fc.constantFrom(0, 1, 7, 100, 333),
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

/** Millisecond by millisecond. @returns start, end, scale, lessMs and moreMs, if a point sees it, or if none does */
function foundSlowly(
  { lives, startUncertaintyMs, endUncertaintyMs, gapUncertaintyMs }: Member,
  { startMs, endMs, resolutionMs }: Set,
  which: 'seen' | 'unseen',
): readonly number[] | undefined {
  const countIn = (ranges: readonly (readonly [number, number])[], step: number): number[] => {
    const found: number[] = [];
    for (let at = startMs; at < endMs; at += step)
      if (ranges.some(([from, to]) => from <= at && at < to)) found.push(at);
    return found;
  };
  const times = countIn(lives, 1);
  const lived = times.length;
  const step = resolutionMs || 1;
  // A later stretch begins and ends where points saw it, or where it did.
  const points = countIn(lives, step);
  const first = points[0];
  if ((first === undefined) === (which === 'seen')) return undefined;
  const until = (at: number): number => Math.min(at + step, endMs);
  const covered = points.reduce((sum, at) => sum + until(at) - at, 0);
  const [born, dead] = [lives[0]?.[0] ?? 0, lives.at(-1)?.[1] ?? 0];
  const gaps = lives.slice(1).map(([from], i) => [lives[i]?.[1] ?? 0, from] as const);
  const more = [[born - startUncertaintyMs, born] as const, ...gaps, [dead, dead + endUncertaintyMs] as const]; // prettier-ignore
  const sum = (ranges: readonly (readonly [number, number])[]): number =>
    ranges.reduce((ms, range) => ms + countIn([range], 1).length, 0);
  const less = lives.flatMap(([from, to], i) => {
    const isFirst = i === 0;
    const isLast = i === lives.length - 1;
    const ends = [
      isLast ? to - endUncertaintyMs : Math.max(from, to - gapUncertaintyMs),
      to,
    ] as const;
    return isFirst ? [ends] : [[from, Math.min(from + gapUncertaintyMs, to)] as const, ends];
  });
  const lessMs = less.reduce((ms, range) => ms + countIn([range], 1).length, 0);
  const moreMs = sum(more);
  if (first !== undefined) {
    return [first, until(points.at(-1) ?? first), covered / lived, lessMs, moreMs];
  }
  const within = (at: number): number => Math.min(Math.max(at, startMs), endMs);
  if (lived > 0) return [times[0] ?? NaN, (times.at(-1) ?? NaN) + 1, 1, lessMs, moreMs];
  return moreMs > 0 ? [within(born), within(dead), 0, lessMs, moreMs] : undefined;
}

const whichOf = fc.constantFrom('seen' as const, 'unseen' as const);

test('members run where their lives are seen or not, as long as these tell', () => {
  fc.assert(
    fc.property(fc.array(member, { maxLength: 20 }), set, whichOf, (all, of, which) => {
      const stretches = all.map(({ lives }) => lives.length);
      const none = all.map(() => 0);
      const runs = {
        members: codes(none),
        rows: codes(none),
        startsMs: numbers(none),
        endsMs: numbers(none),
        scale: numbers(none),
        lessMs: numbers(none),
        moreMs: numbers(none),
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
        startUncertaintiesMs: numbers(all.map(({ startUncertaintyMs }) => startUncertaintyMs)),
        endUncertaintiesMs: numbers(all.map(({ endUncertaintyMs }) => endUncertaintyMs)),
        gapUncertaintiesMs: numbers(all.map(({ gapUncertaintyMs }) => gapUncertaintyMs)),
        timesMs: numbers(all.flatMap((each) => each.lives.flat())),
      };
      const ran = runningIn(space, lives, of, runs, which);
      const expected = all.flatMap((each, i) => {
        const place = of.index - each.firstSet;
        const isThere = place >= 0 && place < each.sets;
        const isLookedAt =
          !each.leftOut &&
          each.lives.length > 0 &&
          (isThere || (which === 'unseen' && each.sets > 0));
        const found = isLookedAt && foundSlowly(each, of, which);
        const nearest = Math.min(Math.max(place, 0), each.sets - 1);
        return found ? [[i, each.row + nearest, ...found]] : [];
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

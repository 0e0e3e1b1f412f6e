/** When a pod was there, as a table. Times are minutes; samples are a minute apart. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Presence, type EndSource, type LifeLimits } from '../../src/allocation/presence.ts';

const MINUTE_MS = 60_000;
const GAP = 10;
const UNKNOWN = NaN;

/** First and last sample, time of the end marker. */
type Seen = readonly [first: number, last: number, stale?: number];

interface Row {
  readonly what: string;
  readonly seen: readonly Seen[];
  readonly start?: number;
  readonly completion?: number;
  readonly read?: readonly [start: number, end: number];
  readonly onGrid?: boolean;
  /** Minutes; '' when no sample shows it. */
  readonly stretches: string;
  readonly end?: EndSource;
  /** How far off the end can be. */
  readonly within?: number;
  readonly startIsKnown?: boolean;
}

const ROWS: readonly Row[] = [
  { what: 'never seen', seen: [], start: 5, completion: 9, stretches: '' },
  // Starts.
  {
    what: 'first seen soon after its start: from its start',
    seen: [[20, 100]],
    start: 19.5,
    stretches: '19.5-1000',
    read: [0, 1000],
    completion: 1000,
    end: 'completionTime',
    startIsKnown: true,
  },
  {
    what: 'without a start: from its first sample',
    seen: [[20, 100]],
    completion: 100,
    stretches: '20-100',
    end: 'completionTime',
  },
  {
    what: 'first seen just a gap after its start: from its start',
    seen: [[30, 100]],
    start: 20,
    completion: 100,
    stretches: '20-100',
    end: 'completionTime',
    startIsKnown: true,
  },
  {
    what: 'first seen more than a gap after its start: from its first sample',
    seen: [[31, 100]],
    start: 20,
    completion: 100,
    stretches: '31-100',
    end: 'completionTime',
  },
  {
    what: 'started long before what was read: from its start',
    seen: [[1, 100]],
    start: -5000,
    completion: 100,
    stretches: '-5000-100',
    end: 'completionTime',
    startIsKnown: true,
  },
  {
    what: 'first seen after its completion: as its timestamps say',
    seen: [[60, 70]],
    start: 20,
    completion: 40,
    stretches: '20-40',
    end: 'completionTime',
    startIsKnown: true,
  },
  {
    what: 'seen before its start: from its start',
    seen: [[10, 100]],
    start: 12,
    completion: 100,
    stretches: '12-100',
    end: 'completionTime',
    startIsKnown: true,
  },
  // Ends.
  {
    what: 'completed before its last sample: to its completion',
    seen: [[20, 100]],
    completion: 80.25,
    stretches: '20-80.25',
    end: 'completionTime',
  },
  {
    what: 'completed long after its last sample: to its completion',
    seen: [[20, 100]],
    completion: 104,
    stretches: '20-104',
    end: 'completionTime',
  },
  {
    what: 'gone with a marker: to the marker',
    seen: [[20, 100, 100.5]],
    stretches: '20-100.5',
    end: 'staleMarker',
    within: 0.5,
  },
  {
    what: 'gone with several markers: to the first after its last sample',
    seen: [
      [20, 100, 100.75],
      [20, 90, 90.5],
      [20, 100, 100.5],
    ],
    stretches: '20-100.5',
    end: 'staleMarker',
    within: 0.5,
  },
  {
    what: 'gone on after a marker: not ended there',
    seen: [
      [20, 50, 51],
      [52, 100],
    ],
    stretches: '20-101',
    end: 'lastSample',
    within: 1,
  },
  {
    what: 'gone without a word: one interval after its last sample',
    seen: [[20, 100]],
    stretches: '20-101',
    end: 'lastSample',
    within: 1,
  },
  {
    what: 'seen within two intervals of the end of what was read: running',
    seen: [[20, 998.5]],
    stretches: '20-1000',
    end: 'running',
    within: 0,
  },
  {
    what: 'last seen two intervals before the end of what was read: ended',
    seen: [[20, 998]],
    stretches: '20-999',
    end: 'lastSample',
    within: 1,
  },
  {
    what: 'completed before it started: never',
    seen: [[20, 100]],
    start: 20,
    completion: 15,
    stretches: 'none',
    end: 'completionTime',
    startIsKnown: true,
  },
  // Gaps.
  {
    what: 'missing for just a gap: one stretch',
    seen: [
      [20, 50],
      [60, 100],
    ],
    completion: 100,
    stretches: '20-100',
    end: 'completionTime',
  },
  {
    what: 'missing for more than a gap: two stretches, the first one interval longer than seen',
    seen: [
      [20, 50],
      [60.5, 100],
    ],
    completion: 100,
    stretches: '20-51 60.5-100',
    end: 'completionTime',
  },
  {
    what: 'missing in one series but not in another: one stretch',
    seen: [
      [20, 30],
      [70, 100],
      [25, 72],
    ],
    completion: 100,
    stretches: '20-100',
    end: 'completionTime',
  },
  {
    what: 'completed within its first stretch: the second is none',
    seen: [
      [20, 50],
      [80, 100],
    ],
    completion: 40,
    stretches: '20-40',
    end: 'completionTime',
  },
  // Grids: an end told by samples goes with a start told by samples.
  {
    what: 'on a grid, gone without a word: from its first sample',
    seen: [[20, 100]],
    start: 19.5,
    onGrid: true,
    stretches: '20-101',
    end: 'lastSample',
    within: 1,
  },
  {
    what: 'on a grid, completed: from its start',
    seen: [[20, 100]],
    start: 19.5,
    completion: 99.5,
    onGrid: true,
    stretches: '19.5-99.5',
    end: 'completionTime',
    startIsKnown: true,
  },
  {
    what: 'on a grid, running: from its start',
    seen: [[20, 999]],
    start: 19.5,
    onGrid: true,
    stretches: '19.5-1000',
    end: 'running',
    startIsKnown: true,
  },
];

function presenceOf(seen: readonly Seen[]): Presence {
  const presence = new Presence(GAP * MINUTE_MS);
  for (const [first, last, stale = UNKNOWN] of seen)
    presence.add({
      firstMs: first * MINUTE_MS,
      lastMs: last * MINUTE_MS,
      staleMs: stale * MINUTE_MS,
      intervalMs: first === last ? UNKNOWN : MINUTE_MS,
    });
  return presence;
}

function limitsOf({
  start,
  completion,
  read = [0, 1000],
  onGrid = false,
}: Partial<Row>): LifeLimits {
  return {
    readStartMs: read[0] * MINUTE_MS,
    readEndMs: read[1] * MINUTE_MS,
    gapMs: GAP * MINUTE_MS,
    intervalMs: MINUTE_MS,
    startMs: (start ?? UNKNOWN) * MINUTE_MS,
    completionMs: (completion ?? UNKNOWN) * MINUTE_MS,
    onGrid,
  };
}

function shown(stretches: readonly { startMs: number; endMs: number }[]): string {
  const minutes = stretches.map((s) => `${s.startMs / MINUTE_MS}-${s.endMs / MINUTE_MS}`);
  return minutes.join(' ') || 'none';
}

describe('a pod', () => {
  for (const row of ROWS)
    test(row.what, () => {
      const life = presenceOf(row.seen).life(limitsOf(row));
      assert.equal(life ? shown(life.stretches) : '', row.stretches);
      if (!life) return;
      assert.equal(life.endSource, row.end);
      assert.equal(life.endUncertaintyMs, (row.within ?? 0) * MINUTE_MS);
      assert.equal(life.startIsKnown, row.startIsKnown ?? false);
    });

  test('seen once is there for the usual interval', () => {
    const life = presenceOf([[20, 20]]).life({ ...limitsOf({}), intervalMs: 30_000 });
    assert.equal(life && shown(life.stretches), '20-20.5');
  });
});

const spans = fc.array(
  fc.tuple(fc.nat(300), fc.nat(40)).map(([first, length]): Seen => [first, first + length]),
  { minLength: 1, maxLength: 8 },
);

test('whatever is seen in whatever order: stretches apart by more than a gap, cover every sample', () => {
  fc.assert(
    fc.property(spans, fc.integer(), (seen, seed) => {
      const life = presenceOf(seen).life(limitsOf({}));
      const shuffled = seen.toSorted((a, b) => ((a[0] * seed) % 7) - ((b[0] * seed) % 7));
      assert.deepEqual(presenceOf(shuffled).life(limitsOf({}))?.stretches, life?.stretches);
      const stretches = life?.stretches ?? [];
      for (const [first, last] of seen)
        assert.ok(
          stretches.some((s) => s.startMs <= first * MINUTE_MS && s.endMs > last * MINUTE_MS),
          shown(stretches),
        );
      for (const [i, { startMs }] of stretches.entries())
        if (i > 0)
          assert.ok(
            startMs - (stretches[i - 1]?.endMs ?? 0) > (GAP - 1) * MINUTE_MS,
            shown(stretches),
          );
    }),
  );
});

test('what follows another life ends before it, by one interval', () => {
  const all = presenceOf([[20, 100]]);
  const earlier = new Presence(GAP * MINUTE_MS);
  earlier.absorb(all, -Infinity, 60 * MINUTE_MS);
  const later = new Presence(GAP * MINUTE_MS);
  later.absorb(all, 60 * MINUTE_MS);
  const limits = limitsOf({});
  assert.equal(shown(earlier.life(limits)?.stretches ?? []), '20-60');
  assert.equal(shown(later.life(limits)?.stretches ?? []), '60-101');
});

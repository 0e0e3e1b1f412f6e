/** When a pod was there, as a table. Times are minutes; samples are a minute apart. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PodStatus } from '../../../src/allocation/inventory/pod-status.ts';
import { Presence, type LifeLimits } from '../../../src/allocation/inventory/presence.ts';
import { PRESENCE_ROWS, type PresenceRow, type Seen } from '../../support/fleets/presence-cases.ts';

const MINUTE_MS = 60_000;
const GAP = 10;
const UNKNOWN = NaN;

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
}: Partial<PresenceRow>): LifeLimits {
  const status = new PodStatus();
  if (completion !== undefined) {
    status.completionSeconds.add([0, completion * 60]);
    status.completionsMs.push([0, Infinity]);
  }
  return {
    status,
    readStartMs: read[0] * MINUTE_MS,
    readEndMs: read[1] * MINUTE_MS,
    gapMs: GAP * MINUTE_MS,
    intervalMs: MINUTE_MS,
    startMs: (start ?? UNKNOWN) * MINUTE_MS,
    onGrid,
  };
}

function shown(stretches: readonly { startMs: number; endMs: number }[]): string {
  const minutes = stretches.map((s) => `${s.startMs / MINUTE_MS}-${s.endMs / MINUTE_MS}`);
  return minutes.join(' ') || 'none';
}

describe('a pod', () => {
  for (const row of PRESENCE_ROWS)
    test(row.what, () => {
      const life = presenceOf(row.seen).life(limitsOf(row));
      assert.equal(life ? shown(life.stretches) : '', row.stretches);
      if (!life) return;
      assert.equal(life.endSource, row.end);
      assert.equal(life.endUncertaintyMs, (row.within ?? 0) * MINUTE_MS);
      assert.equal(life.zeroMs === life.stretches[0]?.startMs, row.startIsKnown ?? false);
    });

  test('seen once is there for the usual interval', () => {
    const life = presenceOf([[20, 20]]).life({ ...limitsOf({}), intervalMs: 30_000 });
    assert.equal(life && shown(life.stretches), '20-20.5');
  });
});

describe('an end between a last sample and a marker', () => {
  const endMs = 30 * MINUTE_MS;
  const bounds = {
    'without a bound': {},
    'with a successor that starts in its millisecond': {
      goneBy: { endMs, uncertaintyMs: 0, source: 'nextPod' },
    },
    'with a deletion that is due in its millisecond': { deletionMs: endMs },
  } satisfies Record<string, Partial<LifeLimits>>;
  for (const [what, bound] of Object.entries(bounds))
    test(`is in the middle of two milliseconds, ${what}`, () => {
      const presence = new Presence(GAP * MINUTE_MS);
      const seen = { firstMs: 20 * MINUTE_MS, lastMs: endMs - 1, staleMs: endMs + 1 };
      presence.add({ ...seen, intervalMs: MINUTE_MS });
      const life = presence.life({ ...limitsOf({ start: 20 }), ...bound });
      assert.equal(life?.stretches.at(-1)?.endMs, endMs);
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

/** Random lives of volumes, and what is owed for them as told by looking at each piece alone. */
import fc from 'fast-check';
import type { ClaimLife, MountLife, VolumeLife } from '../../../src/allocation/ledger/volumes.ts';
import type { Stretch } from '../../../src/allocation/inventory/presence.ts';
import { exactSum } from '../references/exact-sum.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const ORPHAN = 99;

export interface Scene {
  readonly volumes: readonly VolumeLife[];
  readonly mounts: readonly MountLife[];
  readonly claims: readonly ClaimLife[];
  readonly setsMs: readonly number[];
}

const SPAN = 40;

/** Few moments, so that many fall together; sets leave a part at both ends uncovered. */
function scenes(moment: fc.Arbitrary<number>, amount: fc.Arbitrary<number>): fc.Arbitrary<Scene> {
  const stretch = fc.tuple(moment, moment).map(([startMs, endMs]) => ({ startMs, endMs }));
  const stretches = fc.array(stretch, { maxLength: 3 });
  const runs = fc
    .array(fc.tuple(moment, amount), { maxLength: 4 })
    .map((pairs) => pairs.toSorted(([a], [b]) => a - b).flat());
  const orphanPayer = fc.constantFrom(ORPHAN, 1);
  const life = fc.record({ stretches, bytes: runs, prices: runs, orphanPayer });
  const payer = fc.integer({ min: 0, max: 4 });
  const place = fc.integer({ min: 0, max: 1 });
  const payers = fc.array(payer, { maxLength: 3 });
  return fc.record({
    volumes: fc.array(life, { minLength: 2, maxLength: 2 }),
    mounts: fc.array(fc.record({ volume: place, payers, stretches }), { maxLength: 6 }),
    claims: fc.array(fc.record({ volume: place, payer, stretches }), { maxLength: 3 }),
    setsMs: fc
      .array(moment, { maxLength: 5 })
      .map((bounds) => bounds.map((at) => at * 0.8 + SPAN * MINUTE_MS * 0.1).sort((a, b) => a - b)),
  });
}

export const ON_MINUTES: fc.Arbitrary<Scene> = scenes(
  fc.integer({ min: 0, max: SPAN / 5 }).map((five) => five * 5 * MINUTE_MS),
  fc.integer({ min: 0, max: 5 }),
);
export const ANYWHEN: fc.Arbitrary<Scene> = scenes(
  fc.double({ min: 0, max: SPAN * MINUTE_MS, noNaN: true }),
  fc.double({ min: 0, max: 1e15, noNaN: true }),
);

const covers = (stretches: readonly Stretch[], atMs: number): boolean =>
  stretches.some(({ startMs, endMs }) => startMs <= atMs && atMs < endMs);

function valueAt(pairs: readonly number[], atMs: number): number {
  let value = pairs[1] ?? 0;
  for (let i = 0; i < pairs.length; i += 2) if ((pairs[i] ?? 0) <= atMs) value = pairs[i + 1] ?? 0;
  return value;
}

/** Who pays at a moment, and which part. */
function payersAt(scene: Scene, place: number, atMs: number): [payer: number, part: number][] {
  const pods = new Map<string, readonly number[]>();
  for (const { volume: its, payers, stretches } of scene.mounts) {
    const distinct = [...new Set(payers)].sort((a, b) => a - b);
    if (its === place && covers(stretches, atMs) && distinct.length > 0) {
      pods.set(String(distinct), distinct);
    }
  }
  const holders = scene.claims.filter((c) => c.volume === place && covers(c.stretches, atMs));
  const orphan = scene.volumes[place]?.orphanPayer ?? NaN;
  const held = [...new Set(holders.map(({ payer }) => payer))];
  const parties =
    pods.size > 0 ? [...pods.values()] : held.length > 0 ? held.map((p) => [p]) : [[orphan]];
  return parties.flatMap((payers) =>
    payers.map((payer): [number, number] => [payer, 1 / parties.length / payers.length]),
  );
}

/** The reference: piece after piece between all moments there are, each looked at alone. */
export function chargesByPiece(scene: Scene): Map<string, { byteHours: number[]; cost: number[] }> {
  const { volumes, mounts, claims, setsMs } = scene;
  const ends = [...volumes, ...mounts, ...claims].flatMap(({ stretches }) =>
    stretches.flatMap(({ startMs, endMs }) => [startMs, endMs]),
  );
  const changes = volumes.flatMap(({ bytes, prices }) =>
    [...bytes, ...prices].filter((_, i) => i % 2 === 0),
  );
  const moments = [...new Set([...ends, ...changes, ...setsMs])].sort((a, b) => a - b);
  const owed = new Map<string, { byteHours: number[]; cost: number[] }>();
  moments.slice(1).forEach((endMs, i) => {
    const atMs = moments[i] ?? NaN;
    const set = setsMs.findIndex((startMs, s) => startMs <= atMs && atMs < (setsMs[s + 1] ?? 0));
    volumes.forEach((life, place) => {
      if (set < 0 || !covers(life.stretches, atMs)) return;
      const byteHours = valueAt(life.bytes, atMs) * ((endMs - atMs) / HOUR_MS);
      const cost = byteHours * valueAt(life.prices, atMs);
      for (const [payer, part] of payersAt(scene, place, atMs)) {
        const key = `${place} ${set} ${payer}`;
        const sums = owed.get(key) ?? { byteHours: [], cost: [] };
        sums.byteHours.push(byteHours * part);
        sums.cost.push(cost * part);
        if (byteHours > 0) owed.set(key, sums);
      }
    });
  });
  return owed;
}

/** USD of a volume: the integral of bytes × price, whoever pays. */
export function costOf(lives: Scene): number {
  const cost = [...chargesByPiece({ ...lives, mounts: [], claims: [] }).values()];
  return exactSum(cost.flatMap((sums) => sums.cost));
}

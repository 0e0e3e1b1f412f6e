/**
 * Who pays for volumes. At every moment one tier of parties shares a volume evenly: the pods that
 * mount it, else the payers whose claims hold it, else the payer of what nobody claims.
 *
 * ```
 *  volume    ├──────────────────────────────────────────┤
 *  claim         ├──────────────────────────────┤
 *  pod a            ├────────────┤
 *  pod b                   ├────────────┤
 *  pays      orphan claim a a & b  b      claim   orphan
 * ```
 */
import { boundAt } from '../inventory/coverage.ts';
import { mergeStretches } from './load-balancers.ts';
import type { Stretch } from '../inventory/presence.ts';
import { HOUR_MS } from '../../query/index.ts';
import { Sum } from './compensated-sum.ts';

/** A volume while it is there: the union of its stretches, in any order. */
export interface VolumeLife {
  readonly stretches: readonly Stretch[];
  /** Pairs (fromMs, value), ascending, finite and ≥ 0; the first value also holds before its time. */
  readonly bytes: readonly number[];
  /** Pairs as those of bytes: USD an hour and byte. */
  readonly prices: readonly number[];
  /** Pays while neither a pod mounts the volume nor a claim holds it. */
  readonly orphanPayer: number;
}

/** A pod that mounts a volume. Lives of one volume with the same payers are of one pod. */
export interface MountLife {
  /** Place in the list of volumes. */
  readonly volume: number;
  /** The pod's containers, in any order; a mount without any counts as none. */
  readonly payers: readonly number[];
  readonly stretches: readonly Stretch[];
}

/** Who pays while no pod mounts the volume but a claim holds it. */
export interface ClaimLife {
  readonly volume: number;
  readonly payer: number;
  readonly stretches: readonly Stretch[];
}

/** What one payer has of one volume in one set. */
export interface VolumeCharge {
  readonly payer: number;
  readonly volume: number;
  readonly set: number;
  readonly byteHours: number;
  /** USD */
  readonly cost: number;
  /** The first and last moment of the set at which the payer paid. */
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Divides each volume's cost, the integral of bytes × price over its life within the sets, so that
 * no moment of it is paid twice or by nobody. Time: O(n log n) in each volume's turns of any kind,
 * and in what comes out.
 *
 * @param setsMs bounds, ascending: set s is [setsMs[s], setsMs[s + 1])
 * @returns at most one for each payer, volume and set, by volume, set and payer; none that is zero
 */
export function chargeVolumes(
  volumes: readonly VolumeLife[],
  mounts: readonly MountLife[],
  claims: readonly ClaimLife[],
  setsMs: readonly number[],
): VolumeCharge[] {
  const claimed = claims.map(({ payer, ...claim }) => ({ ...claim, payers: [payer] }));
  const pods = partiesByVolume(mounts, volumes.length);
  const holders = partiesByVolume(claimed, volumes.length);
  const charges: VolumeCharge[] = [];
  volumes.forEach((life, volume) => {
    const tiers = [pods[volume] ?? [], holders[volume] ?? []];
    chargeVolume(volume, life, tiers, setsMs, charges);
  });
  return charges;
}

/** One pod or claim: a share is its, and is divided evenly among its payers. */
interface Party {
  readonly payers: readonly number[];
  readonly stretches: Stretch[];
}

/** Parties of each volume, those with the same payers made one, so that each counts once. */
function partiesByVolume(lives: readonly MountLife[], volumeCount: number): Party[][] {
  const byVolume = Array.from({ length: volumeCount }, () => new Map<string, Party>());
  for (const { volume, payers, stretches } of lives) {
    const parties = byVolume[volume];
    if (!parties) throw new Error(`BUG: volume ${volume} is not one of ${volumeCount}`);
    if (payers.length === 0) continue;
    const distinct = [...new Set(payers)].sort((a, b) => a - b);
    const key = distinct.join();
    const party = parties.get(key) ?? { payers: distinct, stretches: [] };
    for (const stretch of stretches) party.stretches.push(stretch);
    parties.set(key, party);
  }
  return byVolume.map((parties) => [...parties.values()]);
}

/** Something that changes at a moment. Turns at one moment may come in any order. */
interface Turn {
  readonly atMs: number;
  readonly act: () => void;
}

/** Goes through the volume's turns in order of time, and appends what is owed set by set. */
function chargeVolume(
  volume: number,
  life: VolumeLife,
  parties: readonly (readonly Party[])[],
  setsMs: readonly number[],
  charges: VolumeCharge[],
): void {
  const stretches = mergeStretches(life.stretches, setsMs[0], setsMs.at(-1) ?? -Infinity);
  const span = { startMs: stretches[0]?.startMs ?? 0, endMs: stretches.at(-1)?.endMs ?? 0 };
  if (stretches.length === 0) return;

  const turns: Turn[] = [];
  const at = (atMs: number, act: () => void): unknown => turns.push({ atMs, act });
  const bill = new Bill();
  const tiers = [...parties.map(() => new Tier()), new Tier()];
  tiers.at(-1)?.enter([life.orphanPayer]);
  parties.forEach((tierParties, i) => {
    for (const party of tierParties) {
      for (const { startMs, endMs } of mergeStretches(party.stretches)) {
        at(startMs, () => tiers[i]?.enter(party.payers));
        at(endMs, () => tiers[i]?.leave(party.payers, bill));
      }
    }
  });

  let isThere = false;
  for (const { startMs, endMs } of stretches) {
    at(startMs, () => (isThere = true));
    at(endMs, () => (isThere = false));
  }
  const rate = { bytes: 0, price: 0 };
  schedule(life.bytes, span, at, (bytes) => (rate.bytes = bytes));
  schedule(life.prices, span, at, (price) => (rate.price = price));

  let set = boundAt(setsMs, span.startMs);
  const closeSet = (): void => {
    for (const tier of tiers) tier.settle(bill);
    bill.moveTo(charges, volume, set);
    set++;
  };
  for (let next = set + 1; (setsMs[next] ?? Infinity) < span.endMs; next++) {
    at(setsMs[next] ?? NaN, closeSet);
  }

  const spent = new Sum();
  sweep(turns, (startMs, endMs) => {
    if (!isThere) return;
    const byteHours = rate.bytes * ((endMs - startMs) / HOUR_MS);
    const cost = byteHours * rate.price;
    spent.add(cost);
    tiers.find(({ size }) => size > 0)?.accrue(byteHours, cost, { startMs, endMs });
  });
  closeSet();
  assertConserved(volume, spent.value, bill.charged.value);
}

/** Takes turns in order of time; `pass` is told the time from one moment to the next. */
function sweep(turns: Turn[], pass: (startMs: number, endMs: number) => void): void {
  turns.sort((a, b) => a.atMs - b.atMs);
  let lastMs = -Infinity;
  for (const { atMs, act } of turns) {
    if (atMs > lastMs) pass(lastMs, atMs);
    lastMs = atMs;
    act();
  }
}

/** Sets a step function's value at the span's start, and has it set at each step within. */
function schedule(
  pairs: readonly number[],
  span: Stretch,
  at: (atMs: number, act: () => void) => unknown,
  become: (value: number) => unknown,
): void {
  become(pairs[1] ?? 0);
  for (let i = 0; i < pairs.length; i += 2) {
    const fromMs = pairs[i] ?? NaN;
    const value = pairs[i + 1] ?? NaN;
    if (fromMs <= span.startMs) become(value);
    else if (fromMs < span.endMs) at(fromMs, () => become(value));
  }
}

/**
 * Parties that share evenly while they are there. What one of them owes is the difference of a
 * running integral, amount ÷ parties over time, between its leaving and its coming: a moment costs
 * the same however many there are.
 */
class Tier {
  readonly #byteHours: Sum = new Sum();
  readonly #cost: Sum = new Sum();
  readonly #since: Map<readonly number[], Since> = new Map();
  /** Those that have come, and have not yet paid for a moment. */
  #fresh: Since[] = [];
  /** The end of the last moment that was paid. */
  #endMs: number = -Infinity;

  get size(): number {
    return this.#since.size;
  }

  accrue(byteHours: number, cost: number, { startMs, endMs }: Stretch): void {
    if (byteHours === 0 && cost === 0) return;
    this.#byteHours.add(byteHours / this.size);
    this.#cost.add(cost / this.size);
    for (const since of this.#fresh) since.startMs = startMs;
    this.#fresh = [];
    this.#endMs = endMs;
  }

  enter(payers: readonly number[]): void {
    const since = { byteHours: this.#byteHours.copy(), cost: this.#cost.copy(), startMs: Infinity };
    this.#since.set(payers, since);
    this.#fresh.push(since);
  }

  leave(payers: readonly number[], bill: Bill): void {
    this.#charge(payers, bill);
    this.#since.delete(payers);
  }

  /** Bills everyone up to now. */
  settle(bill: Bill): void {
    for (const payers of this.#since.keys()) {
      this.#charge(payers, bill);
      this.enter(payers);
    }
  }

  #charge(payers: readonly number[], bill: Bill): void {
    const since = this.#since.get(payers);
    if (!since) return;
    const byteHours = this.#byteHours.since(since.byteHours) / payers.length;
    const cost = this.#cost.since(since.cost) / payers.length;
    const stretch = { startMs: since.startMs, endMs: this.#endMs };
    for (const payer of payers) bill.add(payer, byteHours, cost, stretch);
  }
}

/** A tier's sums when a party came, and when it first paid after that; Infinity: not yet. */
interface Since {
  readonly byteHours: Sum;
  readonly cost: Sum;
  startMs: number;
}

/** What one payer owes in one set, and from when to when it paid. */
interface Owed {
  readonly byteHours: Sum;
  readonly cost: Sum;
  startMs: number;
  endMs: number;
}

/** What each payer owes for one volume, a set at a time. */
class Bill {
  readonly charged: Sum = new Sum();
  readonly #owed: Map<number, Owed> = new Map();

  add(payer: number, byteHours: number, cost: number, { startMs, endMs }: Stretch): void {
    if (byteHours === 0 && cost === 0) return;
    const sums = { byteHours: new Sum(), cost: new Sum(), startMs, endMs };
    const owed = this.#owed.get(payer) ?? sums;
    owed.byteHours.add(byteHours);
    owed.cost.add(cost);
    owed.startMs = Math.min(owed.startMs, startMs);
    owed.endMs = Math.max(owed.endMs, endMs);
    this.#owed.set(payer, owed);
  }

  moveTo(charges: VolumeCharge[], volume: number, set: number): void {
    for (const [payer, owed] of [...this.#owed].sort(([a], [b]) => a - b)) {
      const { startMs, endMs } = owed;
      const [byteHours, cost] = [owed.byteHours.value, owed.cost.value];
      this.charged.add(cost);
      charges.push({ payer, volume, set, byteHours, cost, startMs, endMs });
    }
    this.#owed.clear();
  }
}

/** Shares below 1e-300 have too few digits to add up to anything. */
function assertConserved(volume: number, cost: number, charged: number): void {
  if (Math.abs(cost - charged) > 1e-9 * cost + 1e-300) {
    throw new Error(`BUG: volume ${volume} costs ${cost} but ${charged} is charged`);
  }
}

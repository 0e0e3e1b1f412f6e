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
  sweep(turns, (hours) => {
    if (!isThere) return;
    const byteHours = rate.bytes * hours;
    const cost = byteHours * rate.price;
    spent.add(cost);
    tiers.find(({ size }) => size > 0)?.accrue(byteHours, cost);
  });
  closeSet();
  assertConserved(volume, spent.value, bill.charged.value);
}

/** Takes turns in order of time; `pass` is told the hours from one moment to the next. */
function sweep(turns: Turn[], pass: (hours: number) => void): void {
  turns.sort((a, b) => a.atMs - b.atMs);
  let lastMs = -Infinity;
  for (const { atMs, act } of turns) {
    if (atMs > lastMs) pass((atMs - lastMs) / HOUR_MS);
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
  readonly #since: Map<readonly number[], { byteHours: Sum; cost: Sum }> = new Map();

  get size(): number {
    return this.#since.size;
  }

  accrue(byteHours: number, cost: number): void {
    this.#byteHours.add(byteHours / this.size);
    this.#cost.add(cost / this.size);
  }

  enter(payers: readonly number[]): void {
    this.#since.set(payers, { byteHours: this.#byteHours.copy(), cost: this.#cost.copy() });
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
    for (const payer of payers) bill.add(payer, byteHours, cost);
  }
}

/** What each payer owes for one volume, a set at a time. */
class Bill {
  readonly charged: Sum = new Sum();
  readonly #owed: Map<number, { byteHours: Sum; cost: Sum }> = new Map();

  add(payer: number, byteHours: number, cost: number): void {
    if (byteHours === 0 && cost === 0) return;
    const owed = this.#owed.get(payer) ?? { byteHours: new Sum(), cost: new Sum() };
    owed.byteHours.add(byteHours);
    owed.cost.add(cost);
    this.#owed.set(payer, owed);
  }

  moveTo(charges: VolumeCharge[], volume: number, set: number): void {
    for (const [payer, owed] of [...this.#owed].sort(([a], [b]) => a - b)) {
      const cost = owed.cost.value;
      this.charged.add(cost);
      charges.push({ payer, volume, set, byteHours: owed.byteHours.value, cost });
    }
    this.#owed.clear();
  }
}

/** A sum with its rounding errors kept apart (Neumaier 1974). */
class Sum {
  #high: number = 0;
  #low: number = 0;

  get value(): number {
    return this.#high + this.#low;
  }

  add(amount: number): void {
    const high = this.#high + amount;
    const isSmaller = Math.abs(amount) <= Math.abs(this.#high);
    this.#low += isSmaller ? this.#high - high + amount : amount - high + this.#high;
    this.#high = high;
  }

  copy(): Sum {
    const copy = new Sum();
    copy.#high = this.#high;
    copy.#low = this.#low;
    return copy;
  }

  /** What was added since `earlier` was copied from it. */
  since(earlier: Sum): number {
    return this.#high - earlier.#high + (this.#low - earlier.#low);
  }
}

/** Shares below 1e-300 have too few digits to add up to anything. */
function assertConserved(volume: number, cost: number, charged: number): void {
  if (Math.abs(cost - charged) > 1e-9 * cost + 1e-300) {
    throw new Error(`BUG: volume ${volume} costs ${cost} but ${charged} is charged`);
  }
}

/**
 * Who pays for load balancers: in each set, its cost there is divided in proportion to the hours
 * both it and a payer ran in the set (interface, "Rules for distribution", 2).
 */
import { boundAt } from '../inventory/coverage.ts';
import type { Stretch } from '../inventory/presence.ts';
import { HOUR_MS } from '../../query/index.ts';

/** A load balancer while it is there: the union of its stretches, in any order. */
export interface BalancerLife {
  readonly stretches: readonly Stretch[];
  /**
   * USD an hour as pairs (fromMs, value), ascending, finite and ≥ 0; the first value also holds
   * before its time.
   */
  readonly prices: readonly number[];
  /** Whom it serves. A payer listed twice counts once, for the union of its stretches. */
  readonly payers: readonly { readonly payer: number; readonly stretches: readonly Stretch[] }[];
  /** Pays a set's cost once when no payer ran beside it there. */
  readonly orphanPayer: number;
}

/** What one payer has of one balancer in one set. */
export interface BalancerCharge {
  readonly payer: number;
  readonly balancer: number;
  readonly set: number;
  /** USD */
  readonly cost: number;
}

/**
 * @param setsMs bounds, ascending: set s is [setsMs[s], setsMs[s + 1])
 * @returns at most one for each payer, balancer and set, by balancer, set and payer; none of zero
 */
export function chargeBalancers(
  balancers: readonly BalancerLife[],
  setsMs: readonly number[],
): BalancerCharge[] {
  return balancers.flatMap((life, balancer) => {
    const stretches = mergeStretches(life.stretches, setsMs[0], setsMs.at(-1) ?? -Infinity);
    const beside = msBeside(life, stretches, setsMs);
    return [...costs(stretches, life.prices, setsMs)].flatMap(([set, cost]) => {
      const shares = beside.get(set) ?? [{ payer: life.orphanPayer, ms: 1 }];
      const totalMs = shares.reduce((sum, { ms }) => sum + ms, 0);
      return shares
        .map(({ payer, ms }) => ({ payer, balancer, set, cost: cost * (ms / totalMs) }))
        .filter((charge) => charge.cost !== 0);
    });
  });
}

/**
 * What each of several services pays of one balancer: an even share of its price while it is there, so that all
 * together pay the price once.
 * @param lives when each is there
 * @param usdPerHour the price at a time at which so many are there
 * @param stepsMs when the price changes whatever their number
 * @returns pairs (fromMs, USD an hour), the same for each
 */
export function sharedPrices(
  lives: readonly (readonly Stretch[])[],
  usdPerHour: (services: number, atMs: number) => number,
  stepsMs: readonly number[] = [],
): number[] {
  const turns = new Map<number, number>(stepsMs.map((atMs) => [atMs, 0]));
  for (const stretch of lives.flatMap((life) => mergeStretches(life))) {
    add(turns, stretch.startMs, 1);
    add(turns, stretch.endMs, -1);
  }
  let services = 0;
  return [...turns]
    .sort(([a], [b]) => a - b)
    .flatMap(([atMs, more]) => {
      services += more;
      return [atMs, services > 0 ? usdPerHour(services, atMs) / services : 0];
    });
}

interface Share {
  readonly payer: number;
  readonly ms: number;
}

/** How long each payer ran beside the balancer, by set: payers in order, none for no time. */
function msBeside(
  { payers }: BalancerLife,
  life: readonly Stretch[],
  setsMs: readonly number[],
): Map<number, Share[]> {
  const stretchesOf = new Map<number, Stretch[]>();
  for (const { payer, stretches } of payers) {
    const all = stretchesOf.get(payer) ?? [];
    for (const stretch of stretches) all.push(stretch);
    stretchesOf.set(payer, all);
  }
  const bySet = new Map<number, Share[]>();
  for (const [payer, stretches] of [...stretchesOf].sort(([a], [b]) => a - b)) {
    const msOf = new Map<number, number>();
    for (const stretch of overlaps(life, mergeStretches(stretches))) {
      for (const { place, ms } of pieces(stretch, setsMs)) add(msOf, place, ms);
    }
    for (const [set, ms] of msOf) {
      const shares = bySet.get(set);
      if (shares) shares.push({ payer, ms });
      else bySet.set(set, [{ payer, ms }]);
    }
  }
  return bySet;
}

/** USD by set, sets ascending. */
function costs(
  life: readonly Stretch[],
  prices: readonly number[],
  setsMs: readonly number[],
): Map<number, number> {
  const stepsMs = prices.filter((_, i) => i % 2 === 0);
  const costOf = new Map<number, number>();
  for (const stretch of life) {
    for (const { place: set, ...part } of pieces(stretch, setsMs)) {
      for (const { place: step, ms } of pieces(part, stepsMs)) {
        add(costOf, set, (prices[2 * Math.max(0, step) + 1] ?? 0) * (ms / HOUR_MS));
      }
    }
  }
  return costOf;
}

function add(to: Map<number, number>, key: number, amount: number): void {
  to.set(key, (to.get(key) ?? 0) + amount);
}

/** A stretch cut at the bounds; `place` is that of the bound a piece follows, -1 before all. */
function pieces(
  { startMs, endMs }: Stretch,
  boundsMs: readonly number[],
): (Stretch & { place: number; ms: number })[] {
  const cut: (Stretch & { place: number; ms: number })[] = [];
  let fromMs = startMs;
  for (let place = boundAt(boundsMs, startMs); fromMs < endMs; place++) {
    const toMs = Math.min(endMs, boundsMs[place + 1] ?? Infinity);
    if (fromMs < toMs) cut.push({ place, startMs: fromMs, endMs: toMs, ms: toMs - fromMs });
    fromMs = toMs;
  }
  return cut;
}

/** Where both lists, each ascending and apart, cover the time. */
function overlaps(some: readonly Stretch[], others: readonly Stretch[]): Stretch[] {
  const both: Stretch[] = [];
  let i = 0;
  let j = 0;
  for (;;) {
    const one = some[i];
    const other = others[j];
    if (!one || !other) return both;
    const startMs = Math.max(one.startMs, other.startMs);
    const endMs = Math.min(one.endMs, other.endMs);
    if (startMs < endMs) both.push({ startMs, endMs });
    if (one.endMs < other.endMs) i++;
    else j++;
  }
}

/** The time within [fromMs, toMs) that any of the stretches covers, ascending and apart. */
export function mergeStretches(
  stretches: readonly Stretch[],
  fromMs: number = -Infinity,
  toMs: number = Infinity,
): Stretch[] {
  const within = stretches
    .map((s) => ({ startMs: Math.max(s.startMs, fromMs), endMs: Math.min(s.endMs, toMs) }))
    .filter(({ startMs, endMs }) => startMs < endMs)
    .sort((a, b) => a.startMs - b.startMs);
  const merged: Stretch[] = [];
  for (const { startMs, endMs } of within) {
    const last = merged.at(-1);
    if (last && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs);
    else merged.push({ startMs, endMs });
  }
  return merged;
}

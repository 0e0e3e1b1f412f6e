/** Prices as series of the store tell them. */
import { USD_PER_HOUR_MAX } from '../../pricing/index.ts';
import type { Runs } from './runs.ts';

export interface ToldPrices {
  /** Pairs (fromMs, USD); none where no price is believed. */
  readonly pairs: readonly number[];
  /** Whether prices were left out beside those that are believed. */
  readonly isDoubted: boolean;
}

const NO_PRICES: ToldPrices = { pairs: [], isDoubted: false };

/**
 * What is believed of a series of prices. Nobody asks less than nothing, or more than an operator's own
 * file may: such a price says nothing, and the one before it holds; at the start the first that is believed.
 * @param zeroIsUnknown a price of 0 means that the exporter had none, as CPU and RAM are never free
 */
export function believedPrices(runs: Runs | undefined, zeroIsUnknown = false): ToldPrices {
  const pairs = runs?.merged() ?? [];
  const isBelieved = (usd: number): boolean =>
    usd <= USD_PER_HOUR_MAX && (zeroIsUnknown ? usd > 0 : usd >= 0);
  // Most series are right throughout, and stay as they are.
  if (pairs.every((value, i) => i % 2 === 0 || isBelieved(value))) return { ...NO_PRICES, pairs };
  const believed = pairs.filter((_, i) => isBelieved(pairs[i | 1] ?? NaN));
  return { pairs: believed, isDoubted: believed.length > 0 };
}

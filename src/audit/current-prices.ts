/** Current prices, looked up now and then. A failed look-up never costs an event. */
import type { Amounts } from '../prediction/index.ts';

/** Prices are looked up again after this time. */
const PRICES_MS = 300_000;

export interface CurrentPricesOptions {
  readonly lookUp: () => Promise<Amounts>;
  /** Prices until a first look-up succeeds. */
  readonly byBook: Amounts;
  readonly nowMs: () => number;
  /** Called with the reason of a failed look-up. */
  readonly note: (sentence: string) => void;
}

/** @returns USD for an hour of a core, a byte and a GPU; it never rejects */
export function currentPrices(options: CurrentPricesOptions): () => Promise<Amounts> {
  const { lookUp, nowMs, note } = options;
  let known = options.byBook;
  let untilMs = -Infinity;
  return async () => {
    if (nowMs() < untilMs) return known;
    untilMs = nowMs() + PRICES_MS;
    known = await lookUp().catch((error: unknown) => {
      note(`cost events go on with the prices of before: ${String(error)}`);
      return known;
    });
    return known;
  };
}

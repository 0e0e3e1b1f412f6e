/** Prices of now, looked up once in a while; that they cannot be is no reason to lose an event. */
import type { Amounts } from '../prediction/index.ts';

/** So long are prices taken for those of now. */
const PRICES_MS = 300_000;

export interface CurrentPricesOptions {
  readonly lookUp: () => Promise<Amounts>;
  /** Until a first look-up succeeds. */
  readonly byBook: Amounts;
  readonly nowMs: () => number;
  /** Told why a look-up failed. */
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

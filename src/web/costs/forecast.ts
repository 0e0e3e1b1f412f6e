/** What a month will come to: what it has cost, and for the days to come what the last whole days cost. */

export interface Forecast {
  readonly usd: number;
  /** Four of five months end between them, if days go on to differ as they did. */
  readonly low: number;
  readonly high: number;
  /** What a day costs. */
  readonly perDay: number;
  /** Days that it rests on. */
  readonly days: number;
}

/** Days longer ago say little of those to come. */
const DAYS_MOST = 14;
/** Quantile of the normal distribution for four of five. */
const Z = 1.2816;

/**
 * @param spent in the month, whole days and the running one
 * @param whole costs of the last whole days, oldest first
 * @param daysLeft with what is left of the running one, such as 5.4
 * @returns undefined where no whole day is known
 */
export function forecastOf(
  spent: number,
  whole: readonly number[],
  daysLeft: number,
): Forecast | undefined {
  const days = whole.slice(-DAYS_MOST);
  if (days.length === 0) return undefined;
  const perDay = days.reduce((sum, usd) => sum + usd, 0) / days.length;
  const usd = spent + perDay * daysLeft;
  const squares = days.reduce((sum, each) => sum + (each - perDay) ** 2, 0);
  const variance = days.length > 1 ? squares / (days.length - 1) : 0;
  // Days to come differ from the mean, and the mean itself is known from so few of them.
  const band = Z * Math.sqrt(variance * daysLeft * (1 + daysLeft / days.length));
  return { usd, low: Math.max(spent, usd - band), high: usd + band, perDay, days: days.length };
}

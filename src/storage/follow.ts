/** Looks at a store from time to time, for what other processes changed in it. */

/**
 * A store that does not answer is not asked again before the look under way has ended: looks would wait in
 * line, and a change behind them, once it answers.
 * @param look its errors are nobody's: until a later one succeeds all stays as it was
 * @returns a function that ends it; a look under way goes on
 */
export function follow(look: () => Promise<void>, everyMs: number): () => void {
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch(() => undefined)
      .finally(() => (isLooking = false));
  }, everyMs).unref();
  return () => clearInterval(timer);
}

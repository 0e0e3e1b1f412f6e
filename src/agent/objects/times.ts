/** Times of the API, which are whole seconds, as series tell them. */

/** Unix seconds; undefined without a time, and for one that is none. */
export function secondsOf(time: string | undefined): number | undefined {
  const timeMs = time === undefined ? NaN : Date.parse(time);
  return timeMs > 0 ? Math.floor(timeMs / 1000) : undefined;
}

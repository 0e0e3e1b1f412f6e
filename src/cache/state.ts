/** What a cache has, and how often it was of use. */
export interface CacheState {
  readonly bytes: number;
  readonly entries: number;
  /** Values that were there, or being made, when they were asked for. */
  readonly hits: number;
  readonly misses: number;
}

/** Those of a cache in several parts. */
export function sumOfStates(states: readonly CacheState[]): CacheState {
  const sum = (part: keyof CacheState): number =>
    states.reduce((total, state) => total + state[part], 0);
  return { bytes: sum('bytes'), entries: sum('entries'), hits: sum('hits'), misses: sum('misses') };
}

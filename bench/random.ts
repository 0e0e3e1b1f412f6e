/** Numbers in [0, 1), the same on every run (Knuth's MMIX constants cut to 32 bits). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Step functions as pairs (fromMs, value): a value holds until the next pair's time. */

/** Collects the runs of several series of one thing and merges them in order of time. */
export class Runs {
  #pairs: number[] = [];
  #isSorted = true;

  /** @param pairs in order of time */
  add(pairs: ArrayLike<number>): void {
    const lastMs = this.#pairs.at(-2) ?? -Infinity;
    if (pairs.length > 0 && (pairs[0] ?? 0) < lastMs) this.#isSorted = false;
    for (let i = 0; i < pairs.length; i++) this.#pairs.push(pairs[i] ?? NaN);
  }

  get isEmpty(): boolean {
    return this.#pairs.length === 0;
  }

  /** Pairs in order of time, equal neighbours merged; of equal times the last that came counts. */
  merged(): readonly number[] {
    const pairs = this.#isSorted ? this.#pairs : sorted(this.#pairs);
    const merged: number[] = [];
    for (let i = 0; i < pairs.length; i += 2) {
      const at = pairs[i] ?? NaN;
      const value = pairs[i + 1] ?? NaN;
      if (merged.at(-2) === at) merged.length -= 2;
      if (merged.length === 0 || merged.at(-1) !== value) merged.push(at, value);
    }
    return merged;
  }

  /** The smallest value, NaN when there is none. */
  smallest(): number {
    let smallest = NaN;
    for (let i = 1; i < this.#pairs.length; i += 2) {
      const value = this.#pairs[i] ?? NaN;
      if (!(smallest <= value)) smallest = value;
    }
    return smallest;
  }
}

function sorted(pairs: readonly number[]): number[] {
  const order = Array.from({ length: pairs.length / 2 }, (_, i) => i);
  order.sort((a, b) => (pairs[2 * a] ?? 0) - (pairs[2 * b] ?? 0) || a - b);
  return order.flatMap((i) => [pairs[2 * i] ?? NaN, pairs[2 * i + 1] ?? NaN]);
}

/** Samples as columns: a double is kept as two words, as a number may lose the payload of a NaN. */

const FIRST = 256;

export class Samples {
  count: number = 0;
  times: Float64Array = new Float64Array(FIRST);
  lows: Int32Array = new Int32Array(FIRST);
  highs: Int32Array = new Int32Array(FIRST);

  push(timeMs: number, low: number, high: number): void {
    if (this.count === this.times.length) this.#grow();
    const at = this.count++;
    this.times[at] = timeMs;
    this.lows[at] = low;
    this.highs[at] = high;
  }

  clear(): void {
    this.count = 0;
  }

  /** The same in order of time. */
  inOrder(): Samples {
    const places = Uint32Array.from({ length: this.count }, (_, i) => i);
    places.sort((a, b) => (this.times[a] ?? 0) - (this.times[b] ?? 0) || a - b);
    const sorted = new Samples();
    for (const place of places)
      sorted.push(this.times[place] ?? 0, this.lows[place] ?? 0, this.highs[place] ?? 0);
    return sorted;
  }

  #grow(): void {
    const larger = 2 * this.count;
    const { times, lows, highs } = this;
    this.times = new Float64Array(larger);
    this.lows = new Int32Array(larger);
    this.highs = new Int32Array(larger);
    this.times.set(times);
    this.lows.set(lows);
    this.highs.set(highs);
  }
}

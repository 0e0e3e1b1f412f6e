/**
 * Requests by the time that their tasks have taken so far, and how the time of workers is shared out among
 * such bands where more than one of them waits: by weight, however many requests a band has. A band that
 * uses less than its share goes first whenever it comes (stride scheduling). Bands are narrow, each four times as wide
 * as the one before: in a wide one a request of 10 ms would stand behind all that came before it and take 200.
 */
interface Band {
  readonly belowMs: number;
  readonly weight: number;
}

const BANDS: readonly Band[] = [
  { belowMs: 8, weight: 2 },
  { belowMs: 32, weight: 2 },
  { belowMs: 128, weight: 1 },
  { belowMs: 512, weight: 1 },
  { belowMs: Infinity, weight: 1 },
];

/** The band of a request that has taken `tookMs`. */
export function bandOf(tookMs: number): number {
  return BANDS.findIndex(({ belowMs }) => tookMs < belowMs);
}

export class Bands {
  /** Milliseconds that each was given, by weight. */
  readonly #given: number[] = BANDS.map(() => 0);
  readonly #waited: boolean[] = BANDS.map(() => false);
  /** `#given` of the band that had the last turn, before that turn. */
  #now: number = 0;

  /**
   * The band that has the next turn.
   * @param waits whether a task of each waits
   * @returns undefined where none does
   */
  next(waits: readonly boolean[]): number | undefined {
    let best: number | undefined;
    for (const band of BANDS.keys()) {
      const isWaiting = waits[band] === true;
      // Time in which a band has not asked is not saved up.
      if (isWaiting && this.#waited[band] !== true) this.charge(band, this.#owedMs(band));
      this.#waited[band] = isWaiting;
      if (isWaiting && (best === undefined || this.#of(band) < this.#of(best))) best = band;
    }
    if (best !== undefined) this.#now = this.#of(best);
    return best;
  }

  /** @param ms of a worker; less than 0 takes back what was charged too much */
  charge(band: number, ms: number): void {
    this.#given[band] = this.#of(band) + ms / (BANDS[band]?.weight ?? 1);
  }

  #of(band: number): number {
    return this.#given[band] ?? 0;
  }

  #owedMs(band: number): number {
    return Math.max(0, this.#now - this.#of(band)) * (BANDS[band]?.weight ?? 1);
  }
}

/**
 * How long the slices of a read are. A store makes each answer as one piece in its memory, so a read
 * begins with a short slice, and what came tells how long the next may be. Points are counted, not
 * bytes: labels come with every answer however short, and shorter slices would only repeat them.
 */
const FIRST_MS = 900_000;
/** A fleet may grow between slices: one that is planned by the last one's must not be for days. */
const LONGEST_MS = 21_600_000;
const SHORTEST_MS = 60_000;
const MOST_GROWTH = 8;

/** About 50 MB of JSON. */
const ANSWER_POINTS = 2_000_000;
/** Prometheus' range queries give 11,000 (web/api/v1/api.go); a tenth is left for uneven scrapes. */
const SERIES_POINTS = 10_000;

/** What came in one slice. */
export interface SliceAnswer {
  readonly points: number;
  /** Of the series that has most. */
  readonly seriesPoints: number;
}

export class SliceLengths {
  #nextMs: number;
  #longestMs: number;

  /** @param longestMs no slice is longer, at most six hours */
  constructor(longestMs: number = LONGEST_MS) {
    this.#longestMs = Math.min(longestMs, LONGEST_MS);
    this.#nextMs = Math.min(FIRST_MS, this.#longestMs);
  }

  /** Of the slice to ask for now, in ms. */
  get nextMs(): number {
    return this.#nextMs;
  }

  /** A slice of `lengthMs` came whole. */
  answered(lengthMs: number, { points, seriesPoints }: SliceAnswer): void {
    const times = Math.min(MOST_GROWTH, ANSWER_POINTS / points, SERIES_POINTS / seriesPoints);
    this.#nextMs = Math.min(this.#longestMs, Math.max(SHORTEST_MS, Math.floor(lengthMs * times)));
  }

  /** The store would not make so long an answer. @returns false when there is none shorter */
  refused(lengthMs: number): boolean {
    if (lengthMs <= SHORTEST_MS) return false;
    this.#longestMs = Math.ceil(lengthMs / 2);
    this.#nextMs = this.#longestMs;
    return true;
  }
}

/**
 * Lengths of the slices of a read. A store builds each answer in its memory, so a read begins with a short
 * slice, and the number of its points decides the length of the next. Points are counted, not bytes:
 * labels are in each answer however short, and shorter slices would only repeat them.
 */
const FIRST_MS = 900_000;
/** A fleet may grow between slices, so the last slice must not be taken as a measure for days. */
const LONGEST_MS = 43_200_000;
const SHORTEST_MS = 60_000;
const MOST_GROWTH = 8;

/** About 50 MB of JSON. */
const ANSWER_POINTS = 2_000_000;
/** Prometheus' range queries give 11,000 (web/api/v1/api.go); a tenth is a margin for uneven scrapes. */
const SERIES_POINTS = 10_000;

/** Counts of one slice. */
export interface SliceAnswer {
  readonly points: number;
  /** The most points of one series. */
  readonly seriesPoints: number;
}

export class SliceLengths {
  #nextMs: number;
  #longestMs: number;

  /** @param longestMs the longest slice, at most twelve hours */
  constructor(longestMs: number = LONGEST_MS) {
    this.#longestMs = Math.min(longestMs, LONGEST_MS);
    this.#nextMs = Math.min(FIRST_MS, this.#longestMs);
  }

  /** Length of the next slice, in ms. */
  get nextMs(): number {
    return this.#nextMs;
  }

  /** Called after a complete slice of `lengthMs`. */
  answered(lengthMs: number, { points, seriesPoints }: SliceAnswer): void {
    const times = Math.min(MOST_GROWTH, ANSWER_POINTS / points, SERIES_POINTS / seriesPoints);
    this.#nextMs = Math.min(this.#longestMs, Math.max(SHORTEST_MS, Math.floor(lengthMs * times)));
  }

  /** Called when the store refused a slice as too long. @returns false if it cannot be shorter */
  refused(lengthMs: number): boolean {
    if (lengthMs <= SHORTEST_MS) return false;
    this.#longestMs = Math.ceil(lengthMs / 2);
    this.#nextMs = this.#longestMs;
    return true;
  }
}

/** Sets of an answer that are begun before they are opened, so that workers have the next ones at hand. */

/** What is held of a set until it is released. */
interface Holding {
  readonly release: () => void;
}

export class SetsAhead<Held extends Holding> {
  readonly #make: (place: number) => Promise<Held>;
  readonly #most: number;
  readonly #made: Map<number, Promise<Held>> = new Map();
  /** Sets of the answer before this place were begun. */
  #begun = 0;

  /** @param most sets that are held at once */
  constructor(most: number, make: (place: number) => Promise<Held>) {
    this.#most = most;
    this.#make = make;
  }

  /** Begins the sets after a place for which there is room. @param sets of the answer */
  beginAfter(place: number, sets: number, hasRoom: (place: number, most: number) => boolean): void {
    const until = Math.min(sets, place + 1 + this.#most);
    for (let next = Math.max(this.#begun, place + 1); next < until; next++) {
      this.#begun = next + 1;
      if (!hasRoom(next, this.#most)) continue;
      const made = this.#make(next);
      // Its failure is thrown when the set is opened.
      made.catch(() => undefined);
      this.#made.set(next, made);
    }
  }

  /** The set is the caller's to release; undefined where it was not begun. */
  take(place: number): Promise<Held> | undefined {
    const made = this.#made.get(place);
    this.#made.delete(place);
    return made;
  }

  /** Releases sets that were not taken. */
  close(): void {
    for (const made of this.#made.values()) {
      made.then(
        ({ release }) => release(),
        () => undefined,
      );
    }
    this.#made.clear();
  }
}

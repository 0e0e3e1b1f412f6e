/** Fetches what is needed next while the one before is worked on. */
import type { FetchGate } from '../places/fetch-gate.ts';

interface Ahead<Result> {
  readonly result: Promise<Result>;
  /** What the gate is given back. */
  readonly bytes: number;
}

/** More than these do not make a line faster. */
const DEPTH_MAX = 6;

/**
 * Results in the order of the plans. One is always under way; more, as far as the gate permits.
 * @param bytesOf what the result of a plan takes in memory
 */
export async function* ahead<Plan, Result>(
  plans: AsyncGenerator<Plan, void>,
  gate: FetchGate,
  bytesOf: (plan: Plan) => number,
  load: (plan: Plan) => Promise<Result>,
): AsyncGenerator<Result, void> {
  const queue: Ahead<Result>[] = [];
  let waiting: IteratorResult<Plan, void> | undefined;
  try {
    for (;;) {
      while (queue.length < DEPTH_MAX) {
        waiting ??= await plans.next();
        if (waiting.done === true) break;
        const bytes = queue.length === 0 ? 0 : bytesOf(waiting.value);
        if (!gate.mayGoAhead(bytes)) break;
        const result = load(waiting.value);
        result.catch(() => undefined); // it fails at its turn
        queue.push({ result, bytes });
        waiting = undefined;
      }
      const first = queue[0];
      if (first === undefined) return;
      const result = await first.result;
      queue.shift();
      gate.leave(first.bytes);
      yield result;
    }
  } finally {
    for (const { bytes } of queue) gate.leave(bytes);
    await plans.return();
  }
}

/** The same items, of which the first is asked for now; whoever does not take them ends it by `return`. */
export class Begun<Item> implements AsyncIterableIterator<Item> {
  readonly #items: AsyncGenerator<Item, void>;
  #first: Promise<IteratorResult<Item, void>> | undefined;

  constructor(items: AsyncGenerator<Item, void>) {
    this.#items = items;
    this.#first = items.next();
    this.#first.catch(() => undefined); // it fails at its turn
  }

  next(): Promise<IteratorResult<Item, void>> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#items.next();
  }

  return(): Promise<IteratorResult<Item, void>> {
    return this.#items.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

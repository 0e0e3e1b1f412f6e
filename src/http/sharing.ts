/** One computation for identical questions that are asked at the same time. */
import { askedOn } from '../query/index.ts';
import { beginning } from './beginning.ts';
import { endingWith } from './ending-with.ts';
import type { Asked, Made, Make, Serving, Turns } from './serving.ts';

interface Flight<Found> {
  readonly begun: Promise<Begun<Found>>;
  readonly stop: AbortController;
  /** Those that wait or have been answered; the computation ends with the last one that leaves. */
  readers: number;
  /** Whether one of them has the answer's chunks. */
  isClaimed: boolean;
}

type Chunks = AsyncIterable<Uint8Array>;

interface Begun<Found> {
  readonly made: Made<Found>;
  readonly body: Buffer | Chunks;
}

/** The answer as one of its readers has it. */
interface Joined<Found> extends Begun<Found> {
  /** Its chunks, where it is longer, are of one reader alone. */
  readonly isOwn: boolean;
}

/**
 * The turn lasts from the first step of making to the last chunk. Who asks the same meanwhile waits for the
 * beginning: an answer of up to `maxBytes` is everybody's; a longer one is streamed to one of them, and the
 * others ask again. It is as old as the first question at most.
 * @param cheap turns of what takes little
 */
export function inTurnShared<Found>(
  turns: Turns,
  maxBytes: number,
  cheap: Turns = turns,
): Serving<Found> {
  const flights = new Map<string, Flight<Found>>();

  const start = (make: Make<Found>, { id, signal, isCheap }: Asked): Flight<Found> => {
    const stop = new AbortController();
    askedOn(stop.signal, signal);
    const begun = beginIn(isCheap ? cheap : turns, make, maxBytes, stop.signal);
    const flight: Flight<Found> = { begun, stop, readers: 0, isClaimed: false };
    flights.set(id, flight);
    const ended = (): void => {
      if (flights.get(id) === flight) flights.delete(id);
    };
    void begun.then(ended, ended);
    void begun.then(({ body }) => (flight.readers === 0 ? givenBack(body) : undefined), ended);
    return flight;
  };

  return {
    async begin(make, asked) {
      const { id, signal } = asked;
      for (;;) {
        signal.throwIfAborted();
        const flight = flights.get(id) ?? start(make, asked);
        const { made, body, isOwn } = await joined(flight, signal);
        if (Buffer.isBuffer(body)) return { made, body };
        if (!isOwn) continue;
        if (signal.aborted) {
          await givenBack(body);
          continue;
        }
        const leave = (): void => flight.stop.abort(signal.reason);
        signal.addEventListener('abort', leave, { once: true });
        const forget = (): void => signal.removeEventListener('abort', leave);
        return { made, body: endingWith(body, forget) };
      }
    },
  };
}

async function beginIn<Found>(
  turns: Turns,
  make: Make<Found>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Begun<Found>> {
  const leave = await turns.enter(signal);
  try {
    const made = await make(signal);
    const body = await beginning(made.chunks, maxBytes);
    if (!Buffer.isBuffer(body)) return { made, body: endingWith(body, leave) };
    leave();
    return { made, body };
  } catch (error) {
    leave();
    throw error;
  }
}

async function givenBack(body: Buffer | Chunks): Promise<void> {
  if (!Buffer.isBuffer(body)) await body[Symbol.asyncIterator]().return?.();
}

/** Waits with the others; a reader that leaves stops waiting, and the last one stops the computation. */
function joined<Found>(flight: Flight<Found>, signal: AbortSignal): Promise<Joined<Found>> {
  flight.readers++;
  return new Promise((resolve, reject) => {
    const left = (): void => {
      flight.readers--;
      if (flight.readers === 0) flight.stop.abort(signal.reason);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', left, { once: true });
    const answered = (): boolean => {
      signal.removeEventListener('abort', left);
      return !signal.aborted;
    };
    flight.begun.then(
      (begun) => {
        if (!answered()) return;
        const isOwn = !flight.isClaimed;
        flight.isClaimed = true;
        resolve({ ...begun, isOwn });
      },
      (error: unknown) => {
        if (answered()) reject(error as Error);
      },
    );
  });
}

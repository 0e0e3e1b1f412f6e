/** One query from plan to bytes, with everything it holds given back at its end. */
import type { Owner, Owners } from '../columnar/index.ts';
import { answer } from './on-demand-answer.ts';
import { compute, type OnDemandOptions } from './on-demand.ts';
import type { Plan } from './plan.ts';
import type { Told } from './warnings.ts';
import { refused } from './refusals.ts';

export interface QueryOptions extends OnDemandOptions {
  readonly owners: Owners;
  readonly running: Set<Owner>;
}

/** What is told on the way. */
export interface QueryEvents {
  /** Everything is released: told once, however it ended. */
  readonly onEnd?: () => void;
  /** Another set is written. */
  readonly onSet?: (done: number, total: number) => void;
}

export interface Answer extends Told {
  /** In the plan's format; a chunk is valid until the next is asked for. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Computes, then writes as chunks are asked for.
 * @throws {Fault} a window beyond the store's data (400) or beyond the memory budget (422)
 * @throws {Unavailable} the store failed
 */
export async function query(
  options: QueryOptions,
  plan: Plan,
  signal: AbortSignal,
  events: QueryEvents = {},
): Promise<Answer> {
  const owner = options.owners.take();
  options.running.add(owner);
  const release = once(() => {
    options.running.delete(owner);
    options.arena.release(owner);
    options.owners.giveBack(owner);
    events.onEnd?.();
  });
  try {
    const computed = await compute(options, plan, owner, signal);
    const chunks = answer({ ...options, ...events, signal }, plan, computed);
    return {
      warnings: computed.warnings,
      isPartial: computed.isPartial,
      chunks: releasing(chunks, release, (error) => refused(error, options, plan)),
    };
  } catch (error) {
    release();
    throw error;
  }
}

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}

/**
 * Chunks that release what they stand on at their end, whether it came by itself, by an error, or
 * because the reader left; also when not one of them was ever asked for.
 */
function releasing(
  chunks: AsyncGenerator<Uint8Array>,
  release: () => void,
  explain: (error: unknown) => unknown,
): AsyncIterable<Uint8Array> {
  const ending = async (
    step: Promise<IteratorResult<Uint8Array>>,
  ): Promise<IteratorResult<Uint8Array>> => {
    try {
      const result = await step;
      if (result.done) release();
      return result;
    } catch (error) {
      const explained = explain(error);
      release();
      throw explained;
    }
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => ending(chunks.next()),
      return: () => ending(chunks.return(undefined)),
    }),
  };
}

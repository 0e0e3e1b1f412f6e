/** One query from plan to bytes, with everything it holds given back at its end. */
import type { Owner, Owners } from '../columnar/index.ts';
import { externalRows, type ExternalCosts } from './external-costs.ts';
import { answer } from './on-demand-answer.ts';
import { compute, type OnDemandOptions } from './on-demand.ts';
import type { Plan } from './plan.ts';
import type { Told } from './warnings.ts';
import type { Room } from './room.ts';
import type { Slots } from './slots.ts';
import { endingWith } from './ending-with.ts';
import { refused } from './refusals.ts';

export interface QueryOptions extends OnDemandOptions {
  readonly owners: Owners;
  readonly running: Set<Owner>;
  readonly slots: Slots;
  readonly room: Room;
  /** Undefined: there are no bills to ask. */
  readonly external?: ExternalCosts;
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
  let isReleased = false;
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    options.running.delete(owner);
    options.owners.free(owner);
    events.onEnd?.();
  };
  try {
    const asked = plan.query.external ? plan.sets : [];
    const external = await externalRows(options.external, asked);
    const sums = await compute(options, plan, owner, signal);
    const { lacking } = external;
    const warnings = [...sums.warnings, ...lacking];
    const computed = { ...sums, warnings, isPartial: sums.isPartial || lacking.length > 0 };
    const chunks = answer({ ...options, ...events, signal }, plan, computed, external.rows, owner);
    return {
      warnings,
      isPartial: computed.isPartial,
      chunks: endingWith(chunks, release, (error) => refused(error, options, plan)),
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Sums of those of several stores that answer, where who asks accepts that. */
import type { Owner } from '../../columnar/index.ts';
import type { Plan } from '../params/plan.ts';
import type { Computed } from './computed.ts';
import { compute, type OnDemandOptions } from './on-demand.ts';

/** The memory of one attempt after the other. */
export interface AttemptMemory {
  readonly owner: Owner;
  /** Gives back what the attempt before holds. */
  renew(): void;
}

/**
 * Begins anew without a store that fails: nothing that came of it before is in the sums, so that they are those of the
 * others, to the bit. Warnings name what is missing.
 * @throws as `compute`: by default when any store fails, else when the last one does
 */
export async function computeSome(
  options: OnDemandOptions,
  plan: Plan,
  memory: AttemptMemory,
  signal: AbortSignal,
): Promise<Computed> {
  const missing: string[] = [];
  let { source } = options.metrics;
  for (;;) {
    try {
      const attempt = { ...options, metrics: { ...options.metrics, source } };
      const sums = await compute(attempt, plan, memory.owner, signal);
      if (missing.length === 0) return sums;
      return { ...sums, warnings: [...missing, ...sums.warnings], isPartial: true };
    } catch (error) {
      const rest = plan.allowsMissingStores === true ? source.without?.(error) : undefined;
      if (rest === undefined) throw error;
      missing.push(rest.warning);
      source = rest.source;
      memory.renew();
    }
  }
}

/** What a client should know of an answer beside its numbers. */
import { USAGE } from '../metrics/index.ts';
import type { Decided } from './decide.ts';
import { GAP_MS } from './plan.ts';

export interface Observations {
  readonly decided: Decided;
  readonly windowStartMs: number;
  /** Usage of which there were samples. */
  readonly used: ReadonlySet<string>;
  readonly droppedSamples: number;
  /** What the store said of its own answers. */
  readonly ofStore: ReadonlySet<string>;
}

export function warningsOf(seen: Observations): string[] {
  const { decided, windowStartMs, used, droppedSamples, ofStore } = seen;
  const warnings = [...ofStore];
  if (decided.firstMs > windowStartMs + GAP_MS) {
    const first = new Date(decided.firstMs).toISOString();
    warnings.push(`the store's first sample of a pod is at ${first}: earlier cost is unknown`);
  }
  if (decided.podsWithGaps > 0) {
    warnings.push(
      `${decided.podsWithGaps} pods have gaps of more than 10m without samples: those are not cost`,
    );
  }
  if (decided.uncataloguedNodes > 0) {
    warnings.push(
      `${decided.uncataloguedNodes} nodes have neither price series nor a type in --node-types: ` +
        'they cost the default book',
    );
  }
  for (const resource of ['cpu', 'ram'] as const) {
    if (used.has(resource) || decided.workloads === 0) continue;
    warnings.push(`the store has no samples of ${USAGE[resource].metric}: usage counts as 0`);
  }
  if (droppedSamples > 0) warnings.push(`${droppedSamples} samples were NaN or infinite: dropped`);
  return warnings;
}

/** The answer of an on-demand query: each set grouped from the sums of the query. */
import type { Window } from '../query/index.ts';
import { writeAnswer, type AnswerContext } from './answer.ts';
import { csvHeader } from './csv.ts';
import type { RowOptions } from './format.ts';
import type { Computed } from './on-demand.ts';
import { ledgerSet, type Plan } from './plan.ts';

/** Chunks of the answer in the plan's format; each is valid until the next is asked for. */
export function answer(
  context: AnswerContext,
  plan: Plan,
  computed: Computed,
): AsyncGenerator<Uint8Array> {
  const { format, keys, idle } = plan;
  const { accounts, nodes } = computed;
  return writeAnswer(context, {
    sets: plan.sets.length,
    format,
    csvHeader: format.kind === 'csv' ? csvHeader(format, keys, plan) : '',
    set(place, owner) {
      const set = ledgerSet(plan, place);
      const options = rowOptions(plan, set);
      const input = { accounts, nodes, set, keys, idleNames: idle ?? 'one', options, owner };
      return context.pool.run('set', input, context.signal);
    },
    warnings: () => computed.warnings,
    isPartial: () => computed.isPartial,
  });
}

function rowOptions({ resolutionMs, isRaw, format }: Plan, set: Window): RowOptions {
  const { startMs: windowStartMs, endMs: windowEndMs } = set;
  return { windowStartMs, windowEndMs, resolutionMs, isRaw, format };
}

/** The answer over stored sets: each set is read, queried and grouped by itself, in workers. */
import { writeAnswer, type AnswerContext } from './answer.ts';
import { AnswerSets } from './answer-sets.ts';
import { endingWith } from './ending-with.ts';
import { framingOf } from './framing.ts';
import type { StoredPlan } from './stored-params.ts';
import { wholeOf, type Resolved, type StoredOptions } from './stored.ts';
import { SHAPES } from './view.ts';

export interface StoredAnswer {
  /** In the plan's format; each is valid until the next is asked for. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** A set was found damaged on the way. */
  readonly isPartial: () => boolean;
  /** What was found only on the way. */
  readonly warnings: () => readonly string[];
}

export function storedAnswer(
  options: StoredOptions,
  plan: StoredPlan,
  resolved: Resolved,
  context: Pick<AnswerContext, 'signal' | 'onSet'>,
): StoredAnswer {
  const { format, isRaw } = plan;
  const { keys } = plan.asked.query;
  const shape = SHAPES[plan.view];
  const windows = resolved.groups.map(({ window }) => window);
  const work = new AnswerSets(options, plan, resolved, context.signal);
  const isPartial = (): boolean => work.warnings.size > 0;
  const chunks = writeAnswer(
    { ...options, ...context },
    {
      sets: resolved.groups.length,
      format,
      envelope: shape.envelope(windows, wholeOf(plan)),
      framing: framingOf(
        format,
        (csv) => shape.csvHeader(csv, keys, isRaw),
        () => shape.columns(keys, isRaw),
      ),
      open: (place) => work.open(place),
      opensAhead: true,
      warnings: () => [...resolved.warnings, ...work.warnings],
      message: resolved.message,
      isPartial,
    },
  );
  const ending = endingWith(chunks, () => work.close());
  return { chunks: ending, isPartial, warnings: () => [...work.warnings] };
}

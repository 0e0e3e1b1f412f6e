/** The answer over stored sets: each set is read, queried and grouped by itself, in workers. */
import { writeAnswer, type AnswerContext } from '../formats/answer.ts';
import { AnswerSets } from './answer-sets.ts';
import { endingWith } from '../../http/index.ts';
import type { StoredPlan } from '../params/stored-params.ts';
import { wholeOf, type Resolved, type StoredOptions } from './stored.ts';
import { streamEnds, VIEWS } from '../formats/view.ts';

export interface StoredAnswer {
  /** Chunks in the plan's format; each is valid until the next is taken. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Warnings known so far: damage may be found while the answer is written. */
  readonly found: () => Found;
  /**
   * The warnings known so far are sent, and no more can be: a set found damaged from here on ends the
   * chunks with an error.
   */
  readonly headSent: () => void;
}

export type Found = Pick<Resolved, 'warnings' | 'isPartial' | 'isDamaged'>;

export function storedAnswer(
  options: Pick<StoredOptions, 'sets' | 'caches' | 'compute'>,
  plan: StoredPlan,
  resolved: Resolved,
  context: Pick<AnswerContext, 'signal' | 'onSet'>,
): StoredAnswer {
  const { format, isRaw, view } = plan;
  const { keys } = plan.request.query;
  const windows = resolved.groups.map(({ window }) => window);
  const sets = new AnswerSets(options, plan, resolved, context.signal);
  const found = (): Found => ({
    warnings: [...resolved.warnings, ...sets.warnings],
    isPartial: resolved.isPartial || sets.warnings.size > 0,
    isDamaged: resolved.isDamaged || sets.warnings.size > 0,
  });
  const chunks = writeAnswer(
    { compute: options.compute, ...context },
    {
      sets: resolved.groups.length,
      format,
      envelope: VIEWS[view].envelope(windows, wholeOf(plan)),
      ends: streamEnds(format, view, keys, { isRaw, resolutionMs: 0 }),
      open: (place) => sets.open(place),
      opensAhead: true,
      caveats: found,
      message: resolved.message,
      nodeCosts: resolved.nodeCosts,
    },
  );
  const ending = endingWith(chunks, () => sets.close());
  return { chunks: ending, found, headSent: () => sets.headSent() };
}

/** A query that would not fit the memory budget, with what would. */
import { Fault, formatDuration, type Window } from '../query/index.ts';

const MIB = 2 ** 20;
/** What is suggested fits with some room. */
const MARGIN = 0.8;

interface Asked {
  readonly window: Window;
  readonly sets: readonly Window[];
}

/**
 * 422 naming the estimate, the limit and what would pass. Rows grow with pods and with sets, so a
 * longer step or a shorter window helps; a resolution does not: samples are never kept.
 */
export function tooLarge(asked: Asked, neededBytes: number, freeBytes: number): Fault {
  const share = Math.max(0, (freeBytes / neededBytes) * MARGIN);
  const windowMs = asked.window.endMs - asked.window.startMs;
  const window = `window=${shown(windowMs * share, Math.floor)}`;
  const longestMs = windowMs / asked.sets.length / Math.max(share, 1 / asked.sets.length);
  const step = `step=${shown(longestMs, Math.ceil)}`;
  const passes = asked.sets.length > 1 ? `${step} or ${window}` : window;
  return new Fault(
    `parameter 'window': the answer needs ${inMiB(neededBytes)} MiB, ${inMiB(freeBytes)} MiB of the memory budget are free`,
    {
      status: 422,
      parameter: 'window',
      hint: `${passes} would pass at any resolution; or give the server more memory (--memory-limit)`,
    },
  );
}

function inMiB(bytes: number): string {
  return (bytes / MIB).toFixed(1);
}

/** A duration in whole minutes, hours or days, at least one minute. */
function shown(ms: number, round: (value: number) => number): string {
  const unitMs = ms >= 2 * 86_400_000 ? 86_400_000 : ms >= 2 * 3_600_000 ? 3_600_000 : 60_000;
  return formatDuration(Math.max(1, round(ms / unitMs)) * unitMs);
}

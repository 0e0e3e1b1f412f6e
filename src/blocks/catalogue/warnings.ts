/** What a range asks for that no block has yet, or has no more. */
import type { TimeRange } from '../../metrics/index.ts';
import { DAY_MS, MINUTE_MS } from '../../query/index.ts';
import type { Chosen, Origin } from './choose-blocks.ts';

/** Reads go so far beyond what is asked for. */
const MARGIN_MS = 10 * MINUTE_MS;
/** A cluster that ended so long ago is expected to have no samples. */
const RECENT_MS = 7 * DAY_MS;

export function warningsOf(
  name: string,
  { reachMs, startMs, ended, downsampledOnly }: Chosen,
  range: TimeRange,
): string[] {
  const endMs = range.endMs - MARGIN_MS;
  const warnings: string[] = [];
  if (startMs === undefined) warnings.push(`${name} has no blocks: nothing is counted`);
  else if (reachMs !== undefined && endMs > reachMs)
    warnings.push(
      `blocks of ${name} reach to ${isoTime(reachMs)}, as they are written hours after their samples: nothing later is counted`,
    );
  for (const origin of ended)
    if (endMs > origin.endMs && range.startMs < origin.endMs + RECENT_MS)
      warnings.push(
        `blocks of ${labelsOf(origin)} in ${name} end at ${isoTime(origin.endMs)}: nothing later is counted of it`,
      );
  const [first] = downsampledOnly.filter(
    (span) => span.startMs < endMs && span.endMs > range.startMs,
  );
  if (first !== undefined)
    warnings.push(
      `blocks of ${name} from ${isoTime(first.startMs)} to ${isoTime(first.endMs)} are downsampled, which are not read: nothing is counted of that time`,
    );
  return warnings;
}

function labelsOf({ labels }: Origin): string {
  return `{${labels.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}}`;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

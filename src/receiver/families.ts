/** The receiver, as families of metrics. Every label is of a table of ours. */
import { byLabel, counter, gauge, type Family } from '../export/index.ts';
import type { ReceiverFigures, WriteOutcome } from './receiver.ts';

/** How many requests ended in which way. */
export type OutcomeCounts = Record<WriteOutcome['kind'], number>;

export function noOutcomes(): OutcomeCounts {
  return { stored: 0, refused: 0, malformed: 0, busy: 0, unavailable: 0 };
}

export function receiverFamilies(figures: ReceiverFigures, outcomes: OutcomeCounts): Family[] {
  return [
    byLabel({ name: 'prorata_receiver_requests_total', help: 'Requests of remote write, by what became of them; part of one that is refused is stored.', type: 'counter' }, 'outcome', Object.entries(outcomes)),
    counter('prorata_receiver_samples_total', 'Samples that were stored, those that were there already included.', figures.samples),
    byLabel({ name: 'prorata_receiver_samples_refused_total', help: 'Samples that were refused for good, by reason.', type: 'counter' }, 'reason', Object.entries(figures.refused)),
    gauge('prorata_receiver_series', 'Series that samples were written to lately.', figures.series),
    gauge('prorata_receiver_blocks', 'Blocks of received samples.', figures.blocks),
    gauge('prorata_receiver_block_bytes', 'Bytes of these blocks.', figures.blockBytes),
    gauge('prorata_receiver_damaged_blocks', 'Blocks that cannot be read, wholly or in part, as far as is known.', figures.damagedBlocks),
    gauge('prorata_receiver_log_bytes', 'Bytes on disk of received samples that no block holds yet.', figures.logBytes),
    counter('prorata_receiver_commits_total', 'Commits of received samples, of one request or of several.', figures.commits),
    counter('prorata_receiver_commit_seconds_total', 'How long these commits took in all.', figures.commitSeconds),
    gauge('prorata_receiver_failing', 'Whether nothing can be stored at the moment.', figures.failing === undefined ? 0 : 1),
    ...instant('oldest', figures.oldestMs),
    ...instant('newest', figures.newestMs),
  ]; // prettier-ignore
}

function instant(which: string, ms: number | undefined): Family[] {
  if (ms === undefined) return [];
  const name = `prorata_receiver_${which}_sample_timestamp_seconds`;
  return [gauge(name, `The time of the ${which} received sample, Unix time.`, ms / 1000)];
}

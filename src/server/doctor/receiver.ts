/** The receiver: whether it stores, whether samples arrive, and how near its limits are. */
import type { ReceiverFigures } from '../../receiver/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../query/index.ts';
import type { Config } from '../../settings/config.ts';
import { found, foundThat, type Found } from './findings.ts';

/** Senders that are up send each minute, or come back within a few. */
const QUIET_MS = 10 * MINUTE_MS;
/** Part of the series that may be received, beyond which somebody should look. */
const SERIES_SHARE_MAX = 0.8;

export function receiverFindings(
  figures: ReceiverFigures,
  { receiveSeries }: Pick<Config, 'receiveSeries'>,
  nowMs: number,
): Found[] {
  const { series, samples, refused, blocks, blockBytes, damagedBlocks, logBytes, failing } =
    figures;
  const { commits, commitSeconds } = figures;
  const commitMs =
    commits === 0 ? 'none yet' : `${((1000 * commitSeconds) / commits).toFixed(1)} ms`;
  return [
    foundThat(
      'stores samples',
      failing ?? 'yes',
      failing === undefined ? 'ok' : 'bad',
      'senders keep what is not stored and send it again, as long as they can',
    ),
    newest(figures, nowMs),
    foundThat(
      'series that are received',
      `${series} of ${receiveSeries}`,
      series > SERIES_SHARE_MAX * receiveSeries ? 'warning' : 'ok',
      'new series beyond that are refused: see --receive-series, or drop labels that change at each start',
    ),
    found('samples since the start', samples),
    refusals(refused),
    found('blocks', `${blocks}, ${mib(blockBytes)}; ${mib(logBytes)} not in a block yet`),
    foundThat(
      'damaged blocks',
      damagedBlocks === 0 ? 'none known' : damagedBlocks,
      damagedBlocks === 0 ? 'ok' : 'bad',
      'reads of their times fail: prorata fsck names files and places',
    ),
    found('a commit takes', commitMs),
  ];
}

function newest({ newestMs }: ReceiverFigures, nowMs: number): Found {
  const hint = 'is something sending? docs/install/receiver.md has how to point a sender here';
  if (newestMs === undefined) return foundThat('newest sample', 'none', 'warning', hint);
  const isQuiet = nowMs - newestMs > QUIET_MS;
  const hours = ((nowMs - newestMs) / HOUR_MS).toFixed(1);
  const text = new Date(newestMs).toISOString();
  return foundThat(
    'newest sample',
    isQuiet ? `${text}, ${hours} hours ago` : text,
    isQuiet ? 'warning' : 'ok',
    hint,
  );
}

function refusals(refused: ReceiverFigures['refused']): Found {
  const told = Object.entries(refused).filter(([, count]) => count > 0);
  const text = told.map(([reason, count]) => `${count} ${reason}`).join(', ') || 'none';
  const hint = 'senders log the reasons; late samples need a longer --out-of-order';
  return foundThat('samples that were refused', text, told.length === 0 ? 'ok' : 'warning', hint);
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

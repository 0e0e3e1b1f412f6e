/** The builder of stored sets as the configuration describes it; it writes to the log. */
import { createBuilder, type Builder, type BuilderOptions } from '../allocation/index.ts';
import type { Config } from '../settings/config.ts';
import { storeOf } from '../settings/store.ts';
import type { Logger } from '../terminal/log.ts';
import { clockOf } from './clock.ts';

/** Parts that a builder works with. */
type Parts = Pick<BuilderOptions, 'compute' | 'metrics' | 'sets' | 'admission'>;

/** How far back sets in memory reach: `lastweek` is whole on every day. */
const IN_MEMORY_MS = 14 * 86_400_000;
/** Share of the arena up to which days are added to sets in memory. */
const MEMORY_SHARE = 0.25;

/** What has been built so far. */
export interface BuildCounts {
  built: number;
  failed: number;
  /** Unix ms. */
  lastBuiltMs: number | undefined;
}

/** @param counts are added to */
export function openBuilder(
  config: Config,
  parts: Parts,
  log: Logger,
  counts: BuildCounts = { built: 0, failed: 0, lastBuiltMs: undefined },
): Builder {
  const { timezone, refreshMs, sealAfterMs } = config;
  const { calendar, nowMs } = clockOf(config, parts.sets);
  const isInMemory = storeOf(config).kind === 'memory';
  const retentionMs = Math.min(config.retentionMs, isInMemory ? IN_MEMORY_MS : Infinity);
  return createBuilder({
    ...parts,
    timezone,
    rules: { calendar, retentionMs, refreshMs, sealAfterMs },
    bytesMax: isInMemory ? MEMORY_SHARE * parts.compute.arena.capacityBytes : Infinity,
    nowMs,
    elapsedMs: () => performance.now(),
    onBuilt: (what, info) => {
      counts.built++;
      counts.lastBuiltMs = Date.now();
      const { rows = 0, meta } = info ?? {};
      log.info({ day: what, rows, state: meta?.state ?? 'no samples' }, 'built');
    },
    onFailed: (what, error, retryMs) => {
      counts.failed++;
      const message = error instanceof Error ? error.message : String(error);
      log.error({ day: what, error: message, retrySeconds: Math.ceil(retryMs / 1000) }, 'cannot build'); // prettier-ignore
    },
  });
}

/** The builder of stored sets as the configuration describes it, telling the log what it does. */
import { createBuilder, type Builder, type BuilderOptions } from '../allocation/index.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../log.ts';
import type { Engine } from './engine.ts';

/** What a builder works on. */
export type Parts = Pick<BuilderOptions, 'source' | 'sets' | 'admission'>;

/** How far back sets in memory reach: `lastweek` is whole on every day. */
const IN_MEMORY_MS = 14 * 86_400_000;
/** Share of the arena up to which days are added to sets in memory. */
const MEMORY_SHARE = 0.25;

export function openBuilder(
  { dataDir, timezone, retentionMs, refreshMs, sealAfterMs }: Config,
  engine: Engine,
  parts: Parts,
  log: Logger,
): Builder {
  const limits =
    dataDir === undefined
      ? {
          retentionMs: Math.min(retentionMs, IN_MEMORY_MS),
          bytesMax: MEMORY_SHARE * engine.arena.capacityBytes,
        }
      : { retentionMs };
  return createBuilder({
    ...engine,
    ...parts,
    ...limits,
    timezone,
    refreshMs,
    sealAfterMs,
    onBuilt: (what, info) => {
      const { rows = 0, meta } = info ?? {};
      log.info({ day: what, rows, state: meta?.state ?? 'no samples' }, 'built');
    },
    onFailed: (what, error, retryMs) => {
      const message = error instanceof Error ? error.message : String(error);
      log.error({ day: what, error: message, retrySeconds: Math.ceil(retryMs / 1000) }, 'cannot build'); // prettier-ignore
    },
  });
}

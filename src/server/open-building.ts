/** Days that a server builds by itself, in the background, as the configuration says. */
import type { Builder, Metrics } from '../allocation/index.ts';
import type { Admission } from '../pool/index.ts';
import type { Config } from '../settings/config.ts';
import type { Logger } from '../terminal/log.ts';
import type { Engine } from './engine.ts';
import { openBuilder, type BuildCounts } from './open-builder.ts';
import type { ServedSets } from './open-sets.ts';
import { sourceKindOf } from './source-kind.ts';

interface Parts {
  readonly engine: Engine;
  readonly metrics: Metrics;
  readonly served: ServedSets;
  readonly admissions: { readonly heavy: Admission };
}

export interface Building {
  readonly builder: Builder;
  readonly counts: Readonly<BuildCounts>;
  /** For `/readyz?verbose`. */
  state(): object;
}

/** @returns undefined where nothing is built: without samples, by choice, or in a folder that cannot be written */
export function openBuilding(
  config: Config,
  { engine: { compute }, metrics, served, admissions }: Parts,
  log: Logger,
): Building | undefined {
  const hasSamples = sourceKindOf(config) !== 'none';
  const isBuilt = config.refreshMs > 0 && config.role !== 'serve';
  if (!isBuilt || !hasSamples || served.isReadOnly) return undefined;
  const counts: BuildCounts = { built: 0, failed: 0, lastBuiltMs: undefined };
  const parts = { compute, metrics, sets: served.built, admission: admissions.heavy };
  const builder = openBuilder(config, parts, log, counts);
  return { builder, counts, state: () => ({ backfill: builder.progress }) };
}

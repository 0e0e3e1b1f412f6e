/** Series of costs for metrics stores, as the configuration describes them. */
import type { Metrics } from '../../allocation/index.ts';
import type { Admission } from '../../pool/index.ts';
import type { Config } from '../../settings/config.ts';
import type { ServerLogger } from '../../terminal/log.ts';
import { clockOf } from '../clock.ts';
import type { Engine } from '../engine.ts';
import { CostSeries } from './cost-series.ts';
import type { Health } from './health.ts';
import type { ServedSets } from '../open-sets.ts';
import { packageVersion } from '../package-version.ts';
import { sourceKindOf } from '../source-kind.ts';

interface Parts {
  readonly engine: Engine;
  readonly metrics: Metrics;
  readonly served: ServedSets;
  readonly admissions: { readonly heavy: Admission };
}

/** @returns a function that ends what is under way */
export function openCostSeries(
  health: Health,
  config: Config,
  { engine: { compute }, metrics, served: { sets }, admissions }: Parts,
  log: ServerLogger,
): () => Promise<void> {
  const { costMetricsMs: intervalMs, costMetricsRows: rowsMax, clusterLabel = 'cluster' } = config;
  if (intervalMs === 0 || sourceKindOf(config) === 'none') return () => Promise.resolve();
  const series = new CostSeries({
    compute,
    metrics,
    admission: admissions.heavy,
    clusterLabel,
    intervalMs,
    rowsMax,
    version: packageVersion(),
    nowMs: clockOf(config, sets).nowMs,
    onFailed: (error) => log.warn({ err: error }, 'the costs of /metrics could not be computed'),
  });
  health.add(() => series.families());
  health.addText(() => series.text());
  return () => series.close();
}

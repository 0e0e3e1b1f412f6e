/** Which parts of a server tell of their state. */
import type { Metrics } from '../../allocation/index.ts';
import type { Admission } from '../../pool/index.ts';
import type { Config } from '../../settings/config.ts';
import type { ServerLogger } from '../../terminal/log.ts';
import type { Engine } from '../engine.ts';
import type { ServedSets } from '../open-sets.ts';
import type { Building } from '../open-building.ts';
import { roleFamilies } from '../parts/told-role.ts';
import { openCostSeries } from './open-cost-series.ts';
import type { Health } from './health.ts';
import {
  admissionFamilies,
  buildFamilies,
  memoryFamilies,
  poolFamilies,
  storedFamilies,
} from './part-families.ts';

interface Parts {
  readonly engine: Engine;
  readonly served: ServedSets;
  readonly metrics: Metrics;
  readonly admissions: Readonly<Record<string, Admission>> & { readonly heavy: Admission };
  /** Undefined where nothing is built. */
  readonly building: Building | undefined;
}

/** @returns a function that ends what is under way for `/metrics` */
export function addParts(
  health: Health,
  config: Config,
  parts: Parts,
  log: ServerLogger,
): () => Promise<void> {
  const { memoryLimitBytes, dataDir } = config;
  const { engine, served, admissions, building } = parts;
  const { compute } = engine;
  const lanes = Object.entries(admissions);
  health.add(() => admissionFamilies(lanes.map(([name, { state }]) => [name, state])));
  health.add(() => poolFamilies(compute.pool.state));
  health.add(() => memoryFamilies(compute.arena, memoryLimitBytes));
  health.add(() => storedFamilies(served.sets, dataDir));
  health.add(() => roleFamilies(served));
  const endCosts = openCostSeries(health, config, parts, log);
  if (building === undefined) return endCosts;
  const { builder, counts } = building;
  health.add(() => {
    const { done, total, failing } = builder.progress;
    return buildFamilies({ ...counts, done, total, failing: failing.length });
  });
  return endCosts;
}

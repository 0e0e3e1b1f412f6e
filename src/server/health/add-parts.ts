/** Which parts of a server tell of their state. */
import type { Admission } from '../../pool/index.ts';
import type { Config } from '../../settings/config.ts';
import type { Engine } from '../engine.ts';
import type { ServedSets } from '../open-sets.ts';
import type { Building } from '../open-building.ts';
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
  readonly admissions: Readonly<Record<string, Admission>>;
  /** Undefined where nothing is built. */
  readonly building: Building | undefined;
}

export function addParts(
  health: Health,
  { memoryLimitBytes, dataDir }: Config,
  { engine: { compute }, served, admissions, building }: Parts,
): void {
  const lanes = Object.entries(admissions);
  health.add(() => admissionFamilies(lanes.map(([name, { state }]) => [name, state])));
  health.add(() => poolFamilies(compute.pool.state));
  health.add(() => memoryFamilies(compute.arena, memoryLimitBytes));
  health.add(() => storedFamilies(served.sets, dataDir));
  if (building === undefined) return;
  const { builder, counts } = building;
  health.add(() => {
    const { done, total, failing } = builder.progress;
    return buildFamilies({ ...counts, done, total, failing: failing.length });
  });
}

/** Tasks of allocations, by room. Each is listed in workers/compute.ts. */
import type { Engine } from '../columnar/index.ts';
import type { TasksOf } from '../pool/task.ts';
import type { NodePriceSources } from '../pricing/index.ts';
import { buildTasks, type BuildTasks } from './build/tasks.ts';
import { computeTasks, type ComputeTasks } from './compute/tasks.ts';
import { formatTasks, type FormatTasks } from './formats/tasks.ts';
import { ratesTasks, type RatesTasks } from './rates/tasks.ts';
import { storedTasks, type StoredTasks } from './stored/tasks.ts';

export type AllocationTasks = ComputeTasks & FormatTasks & BuildTasks & RatesTasks & StoredTasks;

/** @param prices of nodes without price series */
export function allocationTasks(
  engine: Engine,
  prices: NodePriceSources,
): TasksOf<AllocationTasks> {
  return {
    ...computeTasks(engine, prices),
    ...formatTasks(engine),
    ...buildTasks(engine),
    ...ratesTasks(engine),
    ...storedTasks(engine),
  };
}

/** Where a room's tasks are computed. */
import type { OwnedMemory } from '../columnar/index.ts';
import type { Pool } from './pool.ts';
import type { TaskTable } from './task.ts';

/** The memory that tasks work on, and the workers that do them. */
export interface Compute<Tasks extends TaskTable> extends OwnedMemory {
  readonly pool: Pool<Tasks>;
}

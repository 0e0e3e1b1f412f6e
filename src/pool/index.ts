export {
  createAdmission,
  type Admission,
  type AdmissionState,
  type AdmissionOptions,
} from './admission.ts';
export type { Compute } from './compute.ts';
export { GUARDED, GuardedThread } from './guarded-thread.ts';
export { lasting, NEVER } from './never.ts';
export { createPool, type Pool, type PoolState, type PoolOptions } from './pool.ts';
export { slicesOf } from './slices.ts';
export type { TaskTable } from './task.ts';

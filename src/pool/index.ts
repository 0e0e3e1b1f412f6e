export { createAdmission, type Admission, type AdmissionOptions } from './admission.ts';
export type { Compute } from './compute.ts';
export { createPool, type Pool, type PoolOptions } from './pool.ts';
export type { TaskTable } from './task.ts';

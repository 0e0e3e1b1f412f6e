/** The tasks of a command that reads bills; those of the server stand in compute.ts. */
import { workerData } from 'node:worker_threads';
import { billTasks } from '../src/bills/tasks.ts';
import {
  createEngine,
  type ArenaMemory,
  type KernelModule,
  type Owner,
} from '../src/columnar/index.ts';
import { task } from '../src/pool/task.ts';

interface WorkerData {
  readonly memory: ArenaMemory;
  readonly module: KernelModule;
  /** Whom the workers' own tables belong to. */
  readonly owner: Owner;
}

const { memory, module, owner } = workerData as WorkerData;
const bills = billTasks(createEngine(module, memory, owner));

export const ready: ReturnType<typeof task> = task(() => null);
export const readBillBlock: ReturnType<typeof task> = task(bills.readBillBlock);
export const readBillRange: ReturnType<typeof task> = task(bills.readBillRange);
export const sumBilled: ReturnType<typeof task> = task(bills.sumBilled);

/** The tasks of a command that reads bills; those of the server stand in compute.ts. */
import { workerData } from 'node:worker_threads';
import { billTasks } from '../src/bills/tasks.ts';
import {
  createEngine,
  type ArenaMemory,
  type KernelModule,
  type Owner,
} from '../src/columnar/index.ts';
import { runner, task, type TaskRunner } from '../src/pool/task.ts';

interface WorkerData {
  readonly memory: ArenaMemory;
  readonly module: KernelModule;
  /** Whom the workers' own tables belong to. */
  readonly owner: Owner;
}

const { memory, module, owner } = workerData as WorkerData;
const bills = billTasks(createEngine(module, memory, owner));

const run: TaskRunner = runner({
  ready: task(() => null),
  readBillBlock: task(bills.readBillBlock),
  readBillRange: task(bills.readBillRange),
  sumBilled: task(bills.sumBilled),
});

export default run;

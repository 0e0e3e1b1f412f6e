/** The tasks of commands that read bills; compute.ts has those of the server. */
import { workerData } from 'node:worker_threads';
import { billTasks } from '../src/billing/deliveries/tasks.ts';
import {
  createEngine,
  type ArenaMemory,
  type KernelModule,
  type Owner,
} from '../src/columnar/index.ts';
import { runner, type TaskRunner } from '../src/pool/task.ts';

interface WorkerData {
  readonly memory: ArenaMemory;
  readonly module: KernelModule;
  /** The owner of the workers' own tables. */
  readonly owner: Owner;
}

const { memory, module, owner } = workerData as WorkerData;
const run: TaskRunner = runner(billTasks(createEngine(module, memory, owner)));

export default run;

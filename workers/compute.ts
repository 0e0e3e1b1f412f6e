/** The tasks of the server's workers. A worker computes over the shared memory and never opens a socket. */
import { workerData } from 'node:worker_threads';
import { allocationTasks } from '../src/allocation/tasks.ts';
import { assetTasks } from '../src/assets/tasks.ts';
import { cloudTasks } from '../src/billing/cloud/tasks.ts';
import { billTasks } from '../src/billing/deliveries/tasks.ts';
import { externalTasks } from '../src/billing/external/tasks.ts';
import { clusterSizingTasks } from '../src/cluster-sizing/tasks.ts';
import { collectionTasks } from '../src/collections/tasks.ts';
import {
  createEngine,
  type ArenaMemory,
  type KernelModule,
  type Owner,
} from '../src/columnar/index.ts';
import { installationTasks } from '../src/installation/tasks.ts';
import { runner, type TaskRunner } from '../src/pool/task.ts';
import { predictionTasks } from '../src/prediction/tasks.ts';
import {
  createCatalogue,
  useNewerPrices,
  type ControlPlane,
  type NewerPrices,
  type OwnPrice,
} from '../src/pricing/index.ts';
import { savingsTasks } from '../src/savings/tasks.ts';
import { sizingTasks } from '../src/request-sizing/tasks.ts';

export interface WorkerData {
  readonly memory: ArenaMemory;
  readonly module: KernelModule;
  /** The owner of the workers' own tables. */
  readonly owner: Owner;
  readonly nodeTypes: readonly OwnPrice[] | undefined;
  readonly isListOn: boolean;
  readonly controlPlanes: readonly ControlPlane[];
  readonly newerPrices: NewerPrices | undefined;
}

const { memory, module, owner, nodeTypes, newerPrices, ...prices } = workerData as WorkerData;
useNewerPrices(newerPrices);
const engine = createEngine(module, memory, owner);

const run: TaskRunner = runner(
  allocationTasks(engine, { file: nodeTypes && createCatalogue(nodeTypes), ...prices }),
  assetTasks(engine),
  billTasks(engine),
  externalTasks(engine),
  sizingTasks(engine),
  cloudTasks(engine),
  collectionTasks,
  clusterSizingTasks(engine),
  predictionTasks(engine),
  installationTasks(engine),
  savingsTasks(engine),
);

export default run;

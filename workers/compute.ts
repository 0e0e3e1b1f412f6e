/**
 * The tasks. A worker computes over the shared memory; it never talks to the outside. Message shapes: src/allocation/tasks.ts.
 */
import { workerData } from 'node:worker_threads';
import { storedTasks } from '../src/allocation/stored-tasks.ts';
import { allocationTasks } from '../src/allocation/tasks.ts';
import { assetTasks } from '../src/assets/tasks.ts';
import { clusterSizingTasks } from '../src/cluster-sizing/tasks.ts';
import { billTasks } from '../src/bills/tasks.ts';
import {
  createEngine,
  type ArenaMemory,
  type KernelModule,
  type Owner,
} from '../src/columnar/index.ts';
import { collectionTasks } from '../src/collections/tasks.ts';
import { cloudTasks } from '../src/cloud/tasks.ts';
import { externalTasks } from '../src/external/tasks.ts';
import { predictionTasks } from '../src/prediction/tasks.ts';
import { runner, task, type TaskRunner } from '../src/pool/task.ts';
import { sizingTasks } from '../src/request-sizing/tasks.ts';
import { createCatalogue, type NodeType } from '../src/pricing/index.ts';

export interface WorkerData {
  readonly memory: ArenaMemory;
  readonly module: KernelModule;
  /** Whom the workers' own tables belong to. */
  readonly owner: Owner;
  readonly nodeTypes: readonly NodeType[] | undefined;
}

const { memory, module, owner, nodeTypes } = workerData as WorkerData;
const catalogue = nodeTypes && createCatalogue(nodeTypes);
const engine = createEngine(module, memory, owner);
const tasks = allocationTasks(engine, catalogue);
const stored = storedTasks(engine);
const assetTable = assetTasks(engine);
const bills = billTasks(engine);
const pools = clusterSizingTasks(engine);
const prediction = predictionTasks(engine);
const external = externalTasks(engine);
const sizing = sizingTasks(engine);
const cloud = cloudTasks(engine);

const run: TaskRunner = runner({
  ready: task(() => null),
  condense: task(tasks.condense),
  condenseEach: task(tasks.condenseEach),
  substitutes: task(tasks.substitutes),
  decide: task(tasks.decide),
  absorb: task(tasks.absorb),
  settle: task(tasks.settle),
  overage: task(tasks.overage),
  set: task(tasks.set),
  encode: task(tasks.encode),
  keep: task(tasks.keep),
  sumDay: task(tasks.sumDay),
  readColumns: task(stored.readColumns),
  chargesOf: task(stored.chargesOf),
  querySet: task(stored.querySet),
  sumSets: task(stored.sumSets),
  writeSet: task(stored.writeSet),
  tellCosts: task(stored.tellCosts),
  tellItems: task(stored.tellItems),
  tellResources: task(stored.tellResources),
  balancerPools: task(stored.balancerPools),
  valuesInTexts: task(stored.valuesInTexts),
  valuesInRows: task(stored.valuesInRows),
  adjustAssets: task(assetTable.adjustAssets),
  assets: task(assetTable.assets),
  readBillBlock: task(bills.readBillBlock),
  readBillRange: task(bills.readBillRange),
  sumBilled: task(bills.sumBilled),
  externalSlice: task(external.externalSlice),
  externalCosts: task(external.externalCosts),
  joinedCosts: task(external.joinedCosts),
  pushedCosts: task(external.pushedCosts),
  sumDemand: task(sizing.sumDemand),
  joinDemand: task(sizing.joinDemand),
  recommend: task(sizing.recommend),
  readPlanTargets: task(sizing.readPlanTargets),
  readRecommended: task(sizing.readRecommended),
  readUndoId: task(sizing.readUndoId),
  cloudSlice: task(cloud.cloudSlice),
  cloudCosts: task(cloud.cloudCosts),
  cloudValues: task(cloud.cloudValues),
  cloudItems: task(cloud.cloudItems),
  readCollection: task(collectionTasks.readCollection),
  readConfigs: task(collectionTasks.readConfigs),
  clusterNeeds: task(pools.clusterNeeds),
  recommendNodes: task(pools.recommendNodes),
  readManifests: task(prediction.readManifests),
  pastOfWorkloads: task(prediction.pastOfWorkloads),
  predictWorkloads: task(prediction.predictWorkloads),
});

export default run;

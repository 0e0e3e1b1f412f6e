/**
 * The tasks, one named export each; entry.js hands Piscina's calls to them. A worker computes over the shared memory; it never
 * talks to the outside. Message shapes: src/allocation/tasks.ts.
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
import { cloudTasks } from '../src/cloud/tasks.ts';
import { externalTasks } from '../src/external/tasks.ts';
import { predictionTasks } from '../src/prediction/tasks.ts';
import { task } from '../src/pool/task.ts';
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

export const ready: ReturnType<typeof task> = task(() => null);
export const condense: ReturnType<typeof task> = task(tasks.condense);
export const substitutes: ReturnType<typeof task> = task(tasks.substitutes);
export const decide: ReturnType<typeof task> = task(tasks.decide);
export const absorb: ReturnType<typeof task> = task(tasks.absorb);
export const settle: ReturnType<typeof task> = task(tasks.settle);
export const overage: ReturnType<typeof task> = task(tasks.overage);
export const set: ReturnType<typeof task> = task(tasks.set);
export const encode: ReturnType<typeof task> = task(tasks.encode);
export const keep: ReturnType<typeof task> = task(tasks.keep);
export const sumDay: ReturnType<typeof task> = task(tasks.sumDay);
export const readColumns: ReturnType<typeof task> = task(stored.readColumns);
export const chargesOf: ReturnType<typeof task> = task(stored.chargesOf);
export const querySet: ReturnType<typeof task> = task(stored.querySet);
export const sumSets: ReturnType<typeof task> = task(stored.sumSets);
export const writeSet: ReturnType<typeof task> = task(stored.writeSet);
export const tellCosts: ReturnType<typeof task> = task(stored.tellCosts);
export const tellItems: ReturnType<typeof task> = task(stored.tellItems);
export const tellResources: ReturnType<typeof task> = task(stored.tellResources);
export const balancerPools: ReturnType<typeof task> = task(stored.balancerPools);
export const valuesInTexts: ReturnType<typeof task> = task(stored.valuesInTexts);
export const valuesInRows: ReturnType<typeof task> = task(stored.valuesInRows);
export const adjustAssets: ReturnType<typeof task> = task(assetTable.adjustAssets);
export const assets: ReturnType<typeof task> = task(assetTable.assets);
export const readBillBlock: ReturnType<typeof task> = task(bills.readBillBlock);
export const readBillRange: ReturnType<typeof task> = task(bills.readBillRange);
export const sumBilled: ReturnType<typeof task> = task(bills.sumBilled);
export const externalSlice: ReturnType<typeof task> = task(external.externalSlice);
export const externalCosts: ReturnType<typeof task> = task(external.externalCosts);
export const joinedCosts: ReturnType<typeof task> = task(external.joinedCosts);
export const pushedCosts: ReturnType<typeof task> = task(external.pushedCosts);
export const sumDemand: ReturnType<typeof task> = task(sizing.sumDemand);
export const joinDemand: ReturnType<typeof task> = task(sizing.joinDemand);
export const recommend: ReturnType<typeof task> = task(sizing.recommend);
export const cloudSlice: ReturnType<typeof task> = task(cloud.cloudSlice);
export const cloudCosts: ReturnType<typeof task> = task(cloud.cloudCosts);
export const cloudValues: ReturnType<typeof task> = task(cloud.cloudValues);
export const cloudItems: ReturnType<typeof task> = task(cloud.cloudItems);
export const clusterNeeds: ReturnType<typeof task> = task(pools.clusterNeeds);
export const recommendNodes: ReturnType<typeof task> = task(pools.recommendNodes);
export const pastOfWorkloads: ReturnType<typeof task> = task(prediction.pastOfWorkloads);

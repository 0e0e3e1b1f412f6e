/** What workers do for cost prediction. */
import {
  joinTables,
  openTable,
  type Engine,
  type Table,
  type TableAddresses,
} from '../columnar/index.ts';
import { pastOf, type Past, type Sums, type WorkloadName } from './past.ts';

export interface PastInput {
  /** Of each set, tables of the same rows with different columns. */
  readonly sets: readonly (readonly TableAddresses[])[];
  readonly cluster: string;
  readonly workloads: readonly WorkloadName[];
}

export interface PastOutput {
  /** Of all pods of the cluster. */
  readonly whole: Sums;
  /** By the workload's place; null: it was not there. */
  readonly pasts: readonly (Past | null)[];
  /** Of all rows. */
  readonly clusters: readonly string[];
}

export type PredictionTasks = {
  pastOfWorkloads: { input: PastInput; output: PastOutput };
};

type Tasks = {
  [Name in keyof PredictionTasks]: (
    input: PredictionTasks[Name]['input'],
  ) => PredictionTasks[Name]['output'];
};

export function predictionTasks({ arena }: Engine): Tasks {
  return {
    pastOfWorkloads({ sets, cluster, workloads }) {
      const tables = sets.map((set) => joinTables(set.map((at) => openTable(arena, at))));
      return { ...pastOf(tables, cluster, workloads), clusters: clustersIn(tables) };
    },
  };
}

function clustersIn(tables: readonly Table[]): string[] {
  const names = tables.flatMap((table) => {
    const texts = table.text('cluster')?.texts;
    return Array.from({ length: texts?.size ?? 0 }, (_, code) => texts?.text(code) ?? '');
  });
  return [...new Set(names)].filter((name) => name !== '').sort();
}

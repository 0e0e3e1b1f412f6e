/** The task of reports about nodes: a worker reads the newest assets. */
import { joinTables, openTable, type Engine, type TableAddresses } from '../columnar/index.ts';
import type { TasksOf } from '../pool/task.ts';
import { NODE_REPORTS, type NodeReport } from './node-reports.ts';
import { pricedNodes } from './priced-nodes.ts';

export interface NodeReportInput {
  readonly report: NodeReport;
  /** Sets, each as tables of the same rows with different columns. */
  readonly sets: readonly (readonly TableAddresses[])[];
}

export type InstallationTasks = {
  nodeReport: { input: NodeReportInput; output: object };
};

export function installationTasks({ arena }: Engine): TasksOf<InstallationTasks> {
  return {
    nodeReport({ report, sets }) {
      const tables = sets.map((set) => joinTables(set.map((at) => openTable(arena, at))));
      return NODE_REPORTS[report](pricedNodes(tables));
    },
  };
}

/** Tasks of cluster sizing, with the shapes of their messages. */
import {
  openTable,
  joinTables,
  type Engine,
  type Table,
  type TableAddresses,
} from '../columnar/index.ts';
import type { NodeType, PriceBook } from '../pricing/index.ts';
import type { Window } from '../query/index.ts';
import { recommendationJson } from './answer.ts';
import { currentNodes, type CurrentNode } from './current-nodes.ts';
import type { Demand } from './demand.ts';
import { demandOfPods } from './demand-of-pods.ts';
import { infeasibleWarnings } from './infeasible.ts';
import { machineOf } from './overhead.ts';
import { podLives, type PodLife } from './pod-lives.ts';
import { recommendNodes } from './recommend.ts';
import type { Preferences } from './requirements.ts';
import type { TasksOf } from '../pool/task.ts';

/** One set: tables of the same rows with different columns. */
type SetTables = readonly TableAddresses[];

export interface ClustersInput {
  readonly allocations: readonly SetTables[];
  /** Newest first. */
  readonly assets: readonly SetTables[];
  readonly window: Window;
}

export interface ClusterNeeds {
  readonly cluster: string;
  readonly demand: Demand;
  readonly nodes: readonly CurrentNode[];
}

export interface RecommendInput {
  readonly demand: Demand;
  readonly types: readonly NodeType[];
  readonly preferences: Preferences;
  readonly includeOverhead: boolean;
  readonly monthlyRate: number;
  readonly book: PriceBook;
}

/** Recommendations as they are answered, and a cluster's warnings. */
export interface RecommendationJson {
  readonly multi: object | null;
  readonly single: object | null;
  /** Why there are none. */
  readonly warnings: readonly string[];
}

export type ClusterSizingTasks = {
  clusterNeeds: { input: ClustersInput; output: ClusterNeeds[] };
  recommendNodes: { input: RecommendInput; output: RecommendationJson };
};

export function clusterSizingTasks({ arena }: Engine): TasksOf<ClusterSizingTasks> {
  const join = (set: SetTables): Table => joinTables(set.map((at) => openTable(arena, at)));
  return {
    clusterNeeds({ allocations, assets, window }) {
      const pods = byCluster(podLives(allocations.map(join), window));
      const nodes = byCluster(currentNodes(assets.map(join)));
      const clusters = [...new Set([...pods.keys(), ...nodes.keys()])].sort();
      return clusters.map((cluster) => ({
        cluster,
        demand: demandOfPods(pods.get(cluster) ?? []),
        nodes: nodes.get(cluster) ?? [],
      }));
    },

    async recommendNodes({ demand, types, preferences, includeOverhead, monthlyRate, book }) {
      const machines = types.map((type) => machineOf(type, includeOverhead));
      const { multi, single } = await recommendNodes(machines, demand, preferences);
      const context = { demand, monthlyRate, book };
      const isFound = multi !== undefined || single !== undefined;
      return {
        multi: recommendationJson(multi, context),
        single: recommendationJson(single, context),
        warnings: isFound ? [] : infeasibleWarnings(machines, demand, preferences),
      };
    },
  };
}

function byCluster<One extends PodLife | CurrentNode>(all: readonly One[]): Map<string, One[]> {
  const clusters = new Map<string, One[]>();
  for (const one of all) {
    const own = clusters.get(one.cluster) ?? [];
    clusters.set(one.cluster, own);
    own.push(one);
  }
  return clusters;
}

/** Tasks of cluster sizing, with the shapes of their messages. */
import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import {
  openTable,
  joinTables,
  type Engine,
  type Table,
  type TableAddresses,
} from '../columnar/index.ts';
import type { NodeType, PriceBook } from '../pricing/index.ts';
import type { Window } from '../query/index.ts';
import { recommendationJson, type RecommendedNodes } from './answer.ts';
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
  /** Whether needs are of groups of nodes, not of whole clusters. */
  readonly isByGroup: boolean;
}

export interface ClusterNeeds {
  readonly cluster: string;
  /** The group of nodes; '' for the whole cluster. */
  readonly group: string;
  readonly demand: Demand;
  readonly nodes: readonly CurrentNode[];
}

export interface RecommendInput {
  readonly demand: Demand;
  readonly types: readonly NodeType[];
  readonly preferences: Preferences;
  readonly includeOverhead: boolean;
  /** Whether a mix of types is searched for. */
  readonly hasMix: boolean;
  readonly monthlyRate: number;
  readonly book: PriceBook;
}

/** Recommendations as they are answered, and a cluster's warnings. */
export interface RecommendationJson {
  readonly multi: RecommendedNodes | null;
  readonly single: RecommendedNodes | null;
  /** Why there are none. */
  readonly warnings: readonly string[];
}

export type ClusterSizingTasks = {
  clusterNeeds: { input: ClustersInput; output: ClusterNeeds[] };
  recommendNodes: { input: RecommendInput; output: RecommendationJson };
};

/** Answers of the last searches that are kept, as one takes up to two seconds. */
const KEPT_ANSWERS_MAX = 64;

export function clusterSizingTasks({ arena }: Engine): TasksOf<ClusterSizingTasks> {
  const kept = new Map<string, RecommendationJson>();
  const join = (set: SetTables): Table => joinTables(set.map((at) => openTable(arena, at)));
  return {
    clusterNeeds({ allocations, assets, window, isByGroup }) {
      const pods = inParts(podLives(allocations.map(join), window), isByGroup);
      const nodes = inParts(currentNodes(assets.map(join)), isByGroup);
      const parts = [...new Set([...pods.keys(), ...nodes.keys()])].sort();
      return parts.map((part) => {
        const [cluster = '', group = ''] = part.split('\0');
        return {
          cluster,
          group,
          demand: demandOfPods(pods.get(part) ?? []),
          nodes: nodes.get(part) ?? [],
        };
      });
    },

    async recommendNodes(input) {
      const key = createHash('sha256').update(serialize(input)).digest('base64');
      const before = kept.get(key);
      if (before !== undefined) return before;
      const answer = await recommended(input);
      for (const oldest of kept.keys()) if (kept.size >= KEPT_ANSWERS_MAX) kept.delete(oldest);
      kept.set(key, answer);
      return answer;
    },
  };
}

async function recommended({
  demand,
  types,
  preferences,
  includeOverhead,
  hasMix,
  monthlyRate,
  book,
}: RecommendInput): Promise<RecommendationJson> {
  const machines = types.map((type) => machineOf(type, includeOverhead));
  const { multi, single } = await recommendNodes(machines, demand, preferences, hasMix);
  const context = { demand, monthlyRate, book };
  const isFound = multi !== undefined || single !== undefined;
  return {
    multi: recommendationJson(multi, context),
    single: recommendationJson(single, context),
    warnings: isFound ? [] : infeasibleWarnings(machines, demand, preferences),
  };
}

/** By cluster, or by `cluster\0group`. */
function inParts<One extends PodLife | CurrentNode>(
  all: readonly One[],
  isByGroup: boolean,
): Map<string, One[]> {
  const parts = new Map<string, One[]>();
  for (const one of all) {
    const key = isByGroup ? `${one.cluster}\0${one.group}` : one.cluster;
    const own = parts.get(key) ?? [];
    parts.set(key, own);
    own.push(one);
  }
  return parts;
}

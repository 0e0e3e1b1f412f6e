/**
 * Tasks that compute allocations: bounded steps over the arena. Input and output are small plain
 * data; bulk goes by address.
 */
import {
  accumulateUsage,
  condense,
  condenseByMetric,
  droppedSamples,
  latestSampleMs,
  samplesRead,
  frameTable,
  finishMeter,
  storeTexts,
  type ArenaBatch,
  type Block,
  type CondenseOptions,
  type MetricTarget,
  type Engine,
  type Owner,
  type Piece,
  type Table,
  type Workspace,
} from '../../columnar/index.ts';
import { NodeCostSums, type NodeCosts } from '../../assets/node-costs.ts';
import type { FactName, TimeRange } from '../../metrics/index.ts';
import type { TasksOf } from '../../pool/task.ts';
import type { NodePriceSources } from '../../pricing/index.ts';
import { turnToRates } from '../row/cost-metric.ts';
import { decideInventory, type Account, type DecideInput, type Decided } from '../ledger/decide.ts';
import {
  concernedCosts,
  type ConcernedCosts,
  type ConcernedInput,
} from '../ledger/concerned-costs.ts';
import { settleShared, type SharedRequests } from '../ledger/containers.ts';
import { unseenUsage, type UnseenPod } from '../ledger/unseen-usage.ts';
import { gaugeSeries, type GaugeSeries, type GaugeSeriesInput } from './gauge-series.ts';
import { externalTable } from '../query/external-table.ts';
import type { RowOptions } from '../params/format.ts';
import { partByName } from '../sets/name-order.ts';
import type { Grouped } from '../query/aggregate.ts';
import { pageRows, type PageOptions } from '../query/page.ts';
import type { CodedFrame } from '../row/coded-frame.ts';
import type { Excess } from '../sets/excess.ts';
import { rowsOfSet } from '../sets/parts.ts';
import { addNamesakes, unseenIn, type Unseen } from '../sets/sampled-costs.ts';
import { bearersIn, type Bearers, type BearersQuery } from '../query/share-bearers.ts';
import { isShown, querySet, type SetQuery } from '../query/set-query.ts';
import { accumulate } from '../query/sum-sets.ts';
import type { View } from '../query/stored-columns.ts';
import type { SetOfLedger } from '../sets/running.ts';
import { sumParts } from '../evidence/split-counters.ts';
import { storePiece } from '../evidence/stored-pieces.ts';
import { evidenceTimes, spacingOf, type Spacing } from '../evidence/evidence-times.ts';
import {
  clusterLabelIn,
  neededSubstitutes,
  type SubstitutesInput,
} from '../evidence/substitutes.ts';
import type { SetAt } from '../formats/set-at.ts';
import { writeSet } from '../formats/view.ts';

export interface CondenseInput {
  readonly batches: readonly ArenaBatch[];
  readonly options: CondenseOptions;
  /** The block to go on filling; none at first. */
  readonly block: Block | null;
  readonly owner: Owner;
}

/** Batches of several metrics. */
export interface CondenseEachInput {
  readonly batches: readonly ArenaBatch[];
  readonly metrics: readonly {
    readonly metric: string;
    readonly keep: readonly string[];
    readonly gapMs: number;
    /** As above. */
    readonly block: Block | null;
  }[];
  readonly options: Omit<CondenseOptions, 'keep'>;
  readonly owner: Owner;
}

export interface CondensedEach {
  /** By metric: the block that was gone on with, and those after it. */
  readonly blocks: Block[][];
  readonly dropped: number;
  readonly latestMs: number;
  readonly samples: number;
}

export interface AccumulateInput {
  readonly meter: number;
  readonly batches: readonly ArenaBatch[];
  /** Units of the resource that a unit of the samples is. */
  readonly scale: number;
  /** The block of unmatched usage to go on filling; none at first. */
  readonly block: Block | null;
  /** Whether series that belong to no identity are stored. */
  readonly keepsUnmatched: boolean;
  /** The block of counters in parts to go on filling; none at first. */
  readonly partBlock: Block | null;
  readonly owner: Owner;
}

/** Series of parts of counters, to be added up. */
export interface SumPartsInput {
  readonly blocks: readonly Block[];
  /** The label that tells parts apart. */
  readonly label: string;
  readonly owner: Owner;
}

export interface MeterInput {
  readonly meter: number;
  readonly identityCount: number;
}

export interface QueriedSet {
  readonly set: SetOfLedger;
  readonly query: SetQuery;
  /** JoinedCost[] as JSON, of the set; '' for none. */
  readonly external: string;
}

export interface SetInput {
  readonly accounts: readonly Account[];
  /** Costs of nodes; null without idle. */
  readonly nodes: Account | null;
  /** One or more, which are summed in their order; the queries differ in overheads only. */
  readonly sets: readonly QueriedSet[];
  readonly page: PageOptions;
  readonly options: RowOptions;
  readonly view: View;
  readonly owner: Owner;
}

export type UnseenUsageInput = Pick<Account, 'ledger' | 'members'>;

export interface NodeTotalsInput {
  readonly accounts: readonly Account[];
  readonly nodes: Account;
  readonly sets: readonly SetOfLedger[];
  readonly owner: Owner;
}

export interface NodeTotals {
  /** Costs beyond nodes, a set each in the order of the input. */
  readonly excess: readonly Excess[];
  readonly nodeCosts: NodeCosts;
}

export type UnseenInput = Omit<NodeTotalsInput, 'nodes'>;

export interface BearersOfSetsInput extends Omit<NodeTotalsInput, 'nodes'>, BearersQuery {}

/** The result of batches. */
export interface Walked {
  /** The block that was gone on with, and those after it. */
  readonly blocks: Block[];
  /** The time of their latest sample; -Infinity without any. */
  readonly latestMs: number;
  /** How many they have. */
  readonly samples: number;
}

export type ComputeTasks = {
  condense: { input: CondenseInput; output: Walked & { readonly dropped: number } };
  condenseEach: { input: CondenseEachInput; output: CondensedEach };
  /** Facts to read now that all others are. */
  substitutes: { input: SubstitutesInput; output: readonly FactName[] };
  /** The label that tells clusters apart though it is not configured; null: none does. */
  clusterLabel: { input: SubstitutesInput; output: string | null };
  /** Times in which usage tells who is there, now that all other facts are read. */
  evidenceTimes: { input: SubstitutesInput; output: readonly TimeRange[] };
  /** Whether samples are so far apart that reads have to reach further beyond the window. */
  spacing: { input: SubstitutesInput; output: Spacing };
  decide: { input: DecideInput; output: Decided };
  accumulateUsage: {
    input: AccumulateInput;
    output: Walked & { readonly partBlocks: readonly Block[] };
  };
  sumParts: { input: SumPartsInput; output: readonly Block[] };
  /** Gives how many samples the meters dropped because they were NaN or infinite. */
  finishMeters: { input: readonly MeterInput[]; output: number };
  /** Divides usage among containers that share their pods' requests, once meters are finished. */
  settleShared: { input: SharedRequests; output: null };
  /** Pods whose usage goes on while no fact shows them. */
  unseenUsage: { input: UnseenUsageInput; output: readonly UnseenPod[] };
  /** What warnings are about. */
  concernedCosts: { input: ConcernedInput; output: ConcernedCosts };
  /** What nodes cost over all sets, and allocations beyond them in each. */
  nodeTotals: { input: NodeTotalsInput; output: NodeTotals };
  /** What no point of the grid saw. */
  betweenPoints: { input: UnseenInput; output: Unseen };
  /** Who can bear shared costs, set by set. */
  bearersOfSets: { input: BearersOfSetsInput; output: Bearers[] };
  set: { input: SetInput; output: SetAt };
  gaugeSeries: { input: GaugeSeriesInput; output: GaugeSeries[] };
};

/** @param condenseOne gives how many samples it dropped */
function condenseAll(
  { arena, cursor }: Engine,
  batches: readonly ArenaBatch[],
  condenseOne: (batch: ArenaBatch) => number,
): { dropped: number; latestMs: number; samples: number } {
  let [dropped, samples] = [0, 0];
  let latestMs = -Infinity;
  for (const batch of batches) {
    dropped += condenseOne(batch);
    latestMs = Math.max(latestMs, latestSampleMs(arena, cursor));
    samples += samplesRead(arena, cursor);
  }
  return { dropped, latestMs, samples };
}

function targetsOf(
  metrics: CondenseEachInput['metrics'],
  blocks: readonly Block[][],
): ReadonlyMap<string, MetricTarget> {
  return new Map(
    metrics.map(({ metric, keep, gapMs }, i) => [metric, { keep, gapMs, blocks: blocks[i] ?? [] }]),
  );
}

function accumulateAll(
  engine: Engine,
  { meter, batches, scale, block, keepsUnmatched, partBlock, owner }: AccumulateInput,
): ComputeTasks['accumulateUsage']['output'] {
  const { arena, cursor } = engine;
  const blocks = block ? [block] : [];
  const partBlocks = partBlock ? [partBlock] : [];
  const onUnknown = (piece: Piece): void => {
    if (keepsUnmatched) storePiece(arena, owner, blocks, piece);
  };
  const onPart = (piece: Piece): void => storePiece(arena, owner, partBlocks, piece);
  let [latestMs, samples] = [-Infinity, 0];
  for (const batch of batches) {
    accumulateUsage(engine, meter, batch, owner, onUnknown, onPart, scale);
    latestMs = Math.max(latestMs, latestSampleMs(arena, cursor));
    samples += samplesRead(arena, cursor);
  }
  return { blocks, partBlocks, latestMs, samples };
}

/** The rows of a set are there only as long as they are looked at. */
function bearersOfSets(
  engine: Engine,
  { accounts, sets, owner, ...query }: BearersOfSetsInput,
): Bearers[] {
  return sets.map((set) => {
    const { parts, unseen } = rowsOfSet({ engine, owner }, { accounts, nodes: null }, set);
    const tables = parts.map(({ frame, texts }) => frameTable(frame, texts));
    const bearers = bearersIn(tables, query);
    for (const { frame } of [...parts, ...unseen]) engine.arena.free(frame.address, frame.bytes);
    return bearers;
  });
}

/** The rows of a set as its query has them. */
function groupedSet(
  space: Workspace,
  { accounts, nodes }: Pick<SetInput, 'accounts' | 'nodes'>,
  { set, query, external }: QueriedSet,
): Grouped {
  const { engine, owner } = space;
  const rows = rowsOfSet(space, { accounts, nodes }, set);
  const ofAccounts = rows.unseen.slice(0, accounts.length);
  if (isShown(query)) ofAccounts.forEach((of, i) => addNamesakes(rows.parts[i], of));
  const unseen = isShown(query) ? rows.unseen.slice(accounts.length) : rows.unseen;
  // Idle rows are grouped: their sums would depend on their order.
  const parts = rows.parts.map((part, i) =>
    isShown(query) && i < accounts.length ? partByName(space, part) : part,
  );
  const tableOf = ({ frame, texts }: CodedFrame): Table => frameTable(frame, texts);
  const externalRows = external === '' ? [] : [externalTable(engine, owner, external, set)];
  const grouped = querySet(
    engine,
    owner,
    parts.map(tableOf),
    query,
    externalRows,
    unseen.map(tableOf),
  );
  for (const { frame } of [...parts, ...rows.unseen]) engine.arena.free(frame.address, frame.bytes);
  return grouped;
}

/** @param prices of nodes without price series */
export function computeTasks(engine: Engine, prices: NodePriceSources): TasksOf<ComputeTasks> {
  const { arena } = engine;
  return {
    condense({ batches, options, block, owner }) {
      const blocks = block ? [block] : [];
      const walked = condenseAll(engine, batches, (batch) =>
        condense(engine, batch, options, blocks, owner),
      );
      return { blocks, ...walked };
    },

    condenseEach({ batches, metrics, options, owner }) {
      const blocks = metrics.map(({ block }) => (block ? [block] : []));
      const targets = targetsOf(metrics, blocks);
      const walked = condenseAll(engine, batches, (batch) =>
        condenseByMetric(engine, batch, targets, options, owner),
      );
      return { blocks, ...walked };
    },

    substitutes: (input) => neededSubstitutes(arena, input),

    clusterLabel: (input) => clusterLabelIn(arena, input) ?? null,

    evidenceTimes: (input) => evidenceTimes(arena, input),

    spacing: (input) => spacingOf(arena, input),

    decide: (input) => decideInventory(engine, input, prices),

    accumulateUsage: (input) => accumulateAll(engine, input),

    sumParts: ({ blocks, label, owner }) => sumParts(arena, owner, blocks, label),

    finishMeters: (meters) =>
      meters.reduce((dropped, { meter, identityCount }) => {
        finishMeter(engine, meter, identityCount);
        return dropped + droppedSamples(arena, meter);
      }, 0),

    settleShared(input) {
      settleShared(arena, input);
      return null;
    },

    unseenUsage: ({ ledger, members }) => unseenUsage(arena, ledger, members),

    concernedCosts: (input) => concernedCosts(arena, input),

    nodeTotals({ accounts, nodes, sets, owner }) {
      const nodeCosts = new NodeCostSums();
      const excess = sets.map((set) => {
        const rows = rowsOfSet({ engine, owner }, { accounts, nodes }, set);
        for (const { frame } of [...rows.parts, ...rows.unseen])
          arena.free(frame.address, frame.bytes);
        nodeCosts.addAll(rows.nodeCosts);
        return rows.excess;
      });
      return { excess, nodeCosts: nodeCosts.all };
    },

    betweenPoints: ({ accounts, sets, owner }) => unseenIn({ engine, owner }, accounts, sets),

    bearersOfSets: (input) => bearersOfSets(engine, input),

    gaugeSeries: (input) => gaugeSeries(arena, input),

    set({ sets, page, options, view, owner, ...sums }) {
      const [first, ...more] = sets.map((set) => groupedSet({ engine, owner }, sums, set));
      const query = sets[0]?.query;
      if (first === undefined || query === undefined) throw new Error('BUG: no set to write');
      const whole = more.length === 0 ? first : accumulate(engine, owner, [first, ...more], query);
      const { frame: all, texts } = whole;
      const { paging, costMetric, windowHours } = page;
      turnToRates(all, costMetric, windowHours);
      const frame = paging ? pageRows(engine, owner, whole, paging) : all;
      const grouped = { ...whole, frame, texts: storeTexts(texts, arena, owner) };
      return writeSet(engine, owner, grouped, view, query.keys, options);
    },
  };
}

/** One query from plan to bytes, with everything it holds given back at its end. */
import type { NodeCosts } from '../../assets/node-costs.ts';
import type { Owner } from '../../columnar/index.ts';
import { externalRows, type ExternalCosts } from '../stored/external-costs.ts';
import { answer } from './on-demand-answer.ts';
import { nothingComputed, type Computed } from './computed.ts';
import { computeSome, type AttemptMemory } from './partial.ts';
import type { Metrics } from './priced-store.ts';
import { ledgerSet, type Plan } from '../params/plan.ts';
import { unborneWarnings } from '../query/share-bearers.ts';
import type { ClusterFailure } from '../ledger/cluster-failures.ts';
import type { FormatTasks } from '../formats/tasks.ts';
import type { ComputeTasks } from './tasks.ts';
import type { Room } from '../formats/room.ts';
import type { RowCompute } from '../formats/row-chunks.ts';
import { endingWith } from '../../http/index.ts';
import { discreet, futureWarnings, type Caveats, type WarningLike } from '../../query/index.ts';
import { NoSamples, refused } from './refusals.ts';

export interface QueryCompute extends RowCompute<ComputeTasks & FormatTasks> {
  readonly room: Room;
  readonly running: Set<Owner>;
  /** Called for clusters of which an invariant failed. */
  readonly onClusterFailed?: (failure: ClusterFailure) => void;
}

export interface QueryOptions {
  readonly compute: QueryCompute;
  readonly metrics: Metrics;
  /** Undefined: there are no bills. */
  readonly external?: ExternalCosts;
}

/** Additions to an answer, and callbacks while it is written. */
export interface QueryEvents {
  /** Warnings that come before those of the query. */
  readonly warnings?: readonly WarningLike[];
  /** Whoever asks sees some rows alone: nothing may tell of others. */
  readonly isScoped?: boolean;
  /** Another set is written. */
  readonly onSet?: (done: number, total: number) => void;
}

export interface Answer extends Caveats {
  /** What nodes cost by the source of their prices; empty without idle. */
  readonly nodeCosts: NodeCosts;
  /** Chunks in the plan's format; each is valid until the next is taken. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Computes, then writes as chunks are taken.
 * @throws {Fault} a window beyond the store's data (400) or beyond the memory budget (422)
 * @throws {Unavailable} the store failed
 */
export async function query(
  options: QueryOptions,
  plan: Plan,
  signal: AbortSignal,
  events: QueryEvents = {},
): Promise<Answer> {
  const { owners, running } = options.compute;
  const take = (): Owner => {
    const taken = owners.take();
    running.add(taken);
    return taken;
  };
  let owner = take();
  let isReleased = false;
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    running.delete(owner);
    owners.free(owner);
  };
  const memory: AttemptMemory = {
    get owner() {
      return owner;
    },
    renew() {
      running.delete(owner);
      owners.free(owner);
      owner = take();
    },
  };
  try {
    const windows = plan.query.external ? plan.sets : [];
    const external = await externalRows(options.external, windows);
    const ahead = futureWarnings([plan.window], plan.nowMs);
    const isAhead = ahead.length > 0;
    const isScoped = events.isScoped === true;
    const sums = isAhead
      ? nothingComputed(ahead)
      : await computeSome(options, plan, memory, signal).catch((error: unknown) => {
          // That there is nobody at all tells of others, too.
          if (isScoped && error instanceof NoSamples) return nothingComputed([]);
          throw error;
        });
    const { caveats } = external;
    const unborne = isAhead ? [] : await unborneShares(options, plan, sums.accounts, owner, signal);
    const isPartial = sums.isPartial || caveats.isPartial;
    const notes = events.warnings ?? [];
    const warnings = [...notes, ...sums.warnings, ...caveats.warnings, ...unborne];
    const computed = isScoped
      ? { ...sums, ...discreet({ isPartial }, notes), nodeCosts: {} }
      : { ...sums, warnings, isPartial };
    const chunks = answer(
      { compute: options.compute, ...events, signal },
      plan,
      computed,
      external.rows.map(({ rows }) => rows),
      owner,
    );
    return {
      warnings: computed.warnings,
      isPartial: computed.isPartial,
      nodeCosts: computed.nodeCosts,
      chunks: endingWith(chunks, release, (error) =>
        refused(error, { ...options.compute, owner }, plan),
      ),
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Warnings of costs to be shared that no row of the answer has. */
async function unborneShares(
  { compute: { pool } }: QueryOptions,
  plan: Plan,
  accounts: Computed['accounts'],
  owner: Owner,
  signal: AbortSignal,
): Promise<readonly WarningLike[]> {
  const {
    overheadsUsd,
    query: { filter, share },
  } = plan;
  if (share === null && overheadsUsd.every((usd) => usd === 0)) return [];
  const sets = [...plan.sets.keys()].map((place) => ledgerSet(plan, place));
  const input = { accounts, sets, filter, share, owner };
  const bearers = await pool.run('bearersOfSets', input, signal);
  return unborneWarnings(
    bearers.map((each, place) => ({ bearers: each, overheadUsd: overheadsUsd[place] ?? 0 })),
  );
}

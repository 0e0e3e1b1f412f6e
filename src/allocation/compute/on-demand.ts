/**
 * The on-demand query (endpoint 13): facts, then usage, both reduced as they arrive, then sums.
 */
import type { ArenaBatch, Block, MeteredResource, Owner } from '../../columnar/index.ts';
import {
  CPU_SPLIT,
  LABEL_NAMES,
  usageReads,
  usageScale,
  type TimeRange,
} from '../../metrics/index.ts';
import type { Compute } from '../../pool/index.ts';
import { DAY_MS, either, type Caveats } from '../../query/index.ts';
import type { ClusterFailure } from '../ledger/cluster-failures.ts';
import type { SharedRequests } from '../ledger/containers.ts';
import type { Account, DecideInput, Decided } from '../ledger/decide.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { TRAFFIC, type Traffic } from '../ledger/network.ts';
import { GAP_MS, ledgerSet, MARGIN_MS, WIDE_MARGIN_MS, type SumsPlan } from '../params/plan.ts';
import { addExcess, NO_EXCESS, type Excess } from '../sets/excess.ts';
import type { SetOfLedger } from '../sets/running.ts';
import type { Unseen } from '../sets/sampled-costs.ts';
import type { Computed } from './computed.ts';
import { FactReads, OtherClusterLabel } from './fact-reads.ts';
import { allDone, readLanes, type Lane, type ReadContext } from './read.ts';
import { crowdedOut, isCrowded, noSamples, queriesBeside, refused, tooLarge } from './refusals.ts';
import { batchesOf } from '../evidence/stored-pieces.ts';
import type { AccumulateInput, ComputeTasks, MeterInput, NodeTotals } from './tasks.ts';
import { Notes } from './notes.ts';
import type { Metrics } from './priced-store.ts';
import { timesOf } from './times.ts';

/** Usage of longer windows is read only once the sums are known to fit: most of a refused query's reads would be usage. */
const LONG_WINDOW_MS = 14 * DAY_MS;

/** Share of the arena that sums may take beside the facts of a query that is alone. */
const ALONE = 0.7;

export interface OnDemandOptions {
  readonly compute: Compute<ComputeTasks> & {
    /** Queries that hold memory now, this one included. */
    readonly running: ReadonlySet<Owner>;
    /** Called for clusters of which an invariant failed. */
    readonly onClusterFailed?: (failure: ClusterFailure) => void;
  };
  readonly metrics: Metrics;
}

/**
 * Reads and integrates for `owner`; when this throws nothing is under way any more.
 * @throws {Fault} a window beyond the store's data (400) or beyond the memory budget (422)
 * @throws {Unavailable} the store failed
 */
export async function compute(
  options: OnDemandOptions,
  plan: SumsPlan,
  owner: Owner,
  signal: AbortSignal,
): Promise<Computed> {
  const computation = new Computation(options, plan, owner, signal);
  try {
    return await computation.run();
  } catch (error) {
    if (error instanceof OtherClusterLabel)
      return compute(labelledBy(options, error.label), plan, owner, signal);
    throw refused(error, { ...options.compute, owner }, plan, computation.readShare);
  }
}

/** The same with one more label that names the cluster of a series. */
function labelledBy({ compute: own, metrics }: OnDemandOptions, label: string): OnDemandOptions {
  const clusterLabels = [...metrics.clusterLabels, label];
  return { compute: own, metrics: { ...metrics, clusterLabels, foundLabel: label } };
}

/** The store showed no pod at all. */
class NoPods extends Error {}

class Computation {
  readonly #options: OnDemandOptions;
  readonly #plan: SumsPlan;
  readonly #owner: Owner;
  readonly #signal: AbortSignal;
  #context: ReadContext;
  #facts: FactReads;
  readonly #unmatched: Record<'cpu' | 'ram', Block[]> = { cpu: [], ram: [] };
  readonly #cpuParts: Block[] = [];
  readonly #notes: Notes = new Notes();
  /** The part of the read range that counts. */
  #counted: TimeRange;
  #isDecided = false;

  constructor(options: OnDemandOptions, plan: SumsPlan, owner: Owner, signal: AbortSignal) {
    this.#options = options;
    this.#plan = plan;
    this.#owner = owner;
    this.#signal = signal;
    const range = rangeOf(plan, MARGIN_MS);
    this.#counted = countedOf(range, plan);
    const onWarning = (text: string): void => void this.#notes.ofStore.add(text);
    this.#context = {
      source: options.metrics.source,
      arena: options.compute.arena,
      owner,
      range,
      signal,
      onWarning,
    };
    this.#facts = new FactReads(options, plan, this.#context, this.#counted, this.#notes);
  }

  /** How much of the facts is read at least, in (0, 1]. */
  get readShare(): number {
    return this.#isDecided ? 1 : this.#facts.readShare;
  }

  /**
   * Reads facts; again, and further, where samples are far apart.
   * @throws {NoSamples} where the window has none and samples before it are not far apart
   */
  async #readFacts(): Promise<void> {
    await this.#facts.read();
    const spacing = await this.#facts.spacing();
    if (spacing === 'close') return;
    const near = this.#context;
    this.#facts.clear();
    const range = rangeOf(this.#plan, WIDE_MARGIN_MS);
    this.#counted = countedOf(range, this.#plan);
    this.#context = { ...this.#context, range };
    this.#facts = new FactReads(
      this.#options,
      this.#plan,
      this.#context,
      this.#counted,
      this.#notes,
    );
    await this.#facts.read();
    if (spacing === 'none' && (await this.#facts.spacing()) === 'close')
      throw await noSamples(near, this.#notes.droppedSamples);
  }

  async run(): Promise<Computed> {
    await this.#readFacts();
    const deciding = this.#decide(null);
    const laying = deciding.then((decided) => this.#accountOf(decided));
    // Without a ledger there is nothing to read usage for.
    const stop = new AbortController();
    laying.catch((error: unknown) => stop.abort(error));
    const context = { ...this.#context, signal: either(this.#signal, stop.signal) };
    try {
      await this.#readUsage(context, laying);
      await laying;
    } catch (error) {
      // Read only now, when no read of usage takes the store's capacity any more.
      throw error instanceof NoPods
        ? await noSamples(this.#context, this.#notes.droppedSamples)
        : error;
    } finally {
      await Promise.allSettled([laying]);
    }
    const decided = await deciding;
    for (const failure of decided.failures) this.#options.compute.onClusterFailed?.(failure);
    const account = await laying;
    await this.#addCpuParts(account);
    const unmatched = await this.#adoptUnmatched();
    const accounts = unmatched ? [account, unmatched.account] : [account];
    const { nodes, assets, egress } = decided;
    this.#notes.droppedSamples += await this.#finishMeters([
      ...accounts,
      ...(nodes ? [nodes] : []),
    ]);
    const concerned = await this.#options.compute.pool.run(
      'concernedCosts',
      {
        pods: rowsOf(account),
        unmatched: unmatched ? rowsOf(unmatched.account) : null,
        nodes: nodes ? rowsOf(nodes) : null,
        sets: account.ledger.tables.setCount,
      },
      this.#signal,
    );
    const { ledger, members } = account;
    const unseen = await this.#options.compute.pool.run(
      'unseenUsage',
      { ledger, members },
      this.#signal,
    );
    if (this.#plan.resolutionMs > 0)
      this.#notes.betweenPoints = await this.#betweenPoints(accounts);
    const { excess, nodeCosts } = nodes
      ? await this.#nodeTotals(accounts, nodes)
      : { excess: [], nodeCosts: {} };
    const caveats = (set: SetOfLedger | null, beyond: Excess): Caveats =>
      this.#notes.caveats(decided, unmatched?.decided, this.#plan, this.#options.metrics, {
        set,
        excess: beyond,
        concerned,
        unseen: [...unseen, ...(unmatched?.decided.unmatchedPods ?? [])],
      });
    const { buildsSets, sets } = this.#plan;
    const stored = buildsSets ? [...sets.keys()] : [];
    return {
      accounts,
      nodes,
      assets,
      egress,
      nodeCosts,
      ofSets: stored.map((place) =>
        caveats(ledgerSet(this.#plan, place), excess[place] ?? NO_EXCESS),
      ),
      ...caveats(null, excess.reduce(addExcess, NO_EXCESS)),
    };
  }

  async #readUsage(context: ReadContext, laying: Promise<Account>): Promise<void> {
    const { startMs, endMs } = this.#plan.window;
    if (endMs - startMs > LONG_WINDOW_MS) await laying;
    await readLanes(context, this.#usageLanes(laying));
  }

  /** Usage is fetched while the ledger is laid, and worked on once it stands. */
  #usageLanes(laying: Promise<Account>): Lane[] {
    return [
      this.#usageLane(laying, 'cpu'),
      this.#usageLane(laying, 'ram'),
      this.#namedLane('gpu', async () => (await laying).ledger.meters.gpu),
      ...TRAFFIC.map((name) =>
        this.#namedLane(name, async () => (await laying).network?.meters[name]),
      ),
    ];
  }

  #usageLane(laying: Promise<Account>, resource: 'cpu' | 'ram'): Lane {
    const blocks = this.#unmatched[resource];
    return {
      selections: usageReads(resource),
      work: async (batches, selection) => {
        this.#notes.usage(resource, selection);
        const { ledger } = await laying;
        const parts = resource === 'cpu' ? this.#cpuParts : [];
        return await this.#accumulateUsage(ledger.meters[resource], batches, 1, blocks, parts);
      },
    };
  }

  /** Traffic and GPUs of pods that no fact names are told of no row. */
  #namedLane(name: Traffic | 'gpu', meterOf: () => Promise<number | undefined>): Lane {
    return {
      selections: usageReads(name),
      work: async (batches, selection) => {
        this.#notes.usage(name, selection);
        const meter = await meterOf();
        if (meter === undefined) return 0;
        return await this.#accumulateUsage(meter, batches, usageScale(selection), null);
      },
    };
  }

  async #accumulateUsage(
    meter: number,
    batches: readonly ArenaBatch[],
    scale: number,
    unmatched: Block[] | null,
    parts: Block[] = [],
  ): Promise<number> {
    const input: AccumulateInput = {
      meter,
      batches,
      scale,
      block: unmatched?.pop() ?? null,
      keepsUnmatched: unmatched !== null,
      partBlock: parts.pop() ?? null,
      owner: this.#owner,
    };
    const { pool } = this.#options.compute;
    const walked = await pool.run('accumulateUsage', input, this.#signal);
    unmatched?.push(...walked.blocks);
    parts.push(...walked.partBlocks);
    this.#notes.sample(walked.latestMs);
    return walked.samples;
  }

  /** What each CPU used is compared with requests as one sum, once all of it is read. */
  async #addCpuParts({ ledger }: Account): Promise<void> {
    const blocks = this.#cpuParts.splice(0);
    if (blocks.length === 0) return;
    const input = { blocks, label: CPU_SPLIT.label, owner: this.#owner };
    const sums = await this.#options.compute.pool.run('sumParts', input, this.#signal);
    await this.#accumulateUsage(ledger.meters.cpu, batchesOf(sums), 1, this.#unmatched.cpu);
  }

  /** Gives usage that no fact named a ledger of its own, and integrates it there. */
  async #adoptUnmatched(): Promise<{ account: Account; decided: Decided } | undefined> {
    const batches = { cpu: batchesOf(this.#unmatched.cpu), ram: batchesOf(this.#unmatched.ram) };
    const labels = [...Object.values(LABEL_NAMES).flat(), ...this.#options.metrics.clusterLabels];
    const blocks: Block[] = [];
    for (const batch of [...batches.cpu, ...batches.ram]) {
      await this.#facts.condense([batch], labels, blocks);
    }
    if (blocks.length === 0) return undefined;
    const decided = await this.#decide(blocks);
    const account = this.#accountOf(decided);
    for (const resource of ['cpu', 'ram'] as const) {
      const meter = account.ledger.meters[resource];
      for (const batch of batches[resource]) await this.#accumulateUsage(meter, [batch], 1, []);
    }
    return { account, decided };
  }

  #decide(unmatched: readonly Block[] | null): Promise<Decided> {
    const { arena, pool } = this.#options.compute;
    const { book, clusterLabels, clusterId } = this.#options.metrics;
    const { billsNodes, buildsSets } = this.#plan;
    const input: DecideInput = {
      owner: this.#owner,
      facts: this.#facts.condensed(),
      unmatched,
      inventory: { clusterLabels, clusterId, gapMs: GAP_MS },
      ...timesOf(this.#plan, this.#counted, book),
      billsNodes,
      buildsSets,
      budgetBytes: arena.capacityBytes - arena.usedBytes,
    };
    return pool.run('decide', input, this.#signal);
  }

  #accountOf(decided: Decided): Account {
    if (decided.firstMs === Infinity && decided.failures.length === 0) throw new NoPods();
    const { account, neededBytes, passing } = decided;
    this.#isDecided = account !== null;
    if (account) return account;
    const { arena } = this.#options.compute;
    const beside = { ...this.#options.compute, owner: this.#owner };
    if (isCrowded(beside) && neededBytes < ALONE * arena.capacityBytes)
      throw crowdedOut(queriesBeside(beside));
    const freeBytes = arena.capacityBytes - arena.usedBytes;
    throw tooLarge(this.#plan, neededBytes, freeBytes, passing ?? { stepMs: null, windowMs: null });
  }

  /** A task a worker: most meters have little to settle. @returns samples that were dropped */
  async #finishMeters(accounts: readonly Account[]): Promise<number> {
    const meters = accounts.flatMap(({ ledger, network }) => [
      ...metersOf(ledger),
      ...(network ? metersOf(network) : []),
    ]);
    const { pool } = this.#options.compute;
    const shares = Array.from({ length: pool.threads }, (_, thread) =>
      meters.filter((_meter, i) => i % pool.threads === thread),
    );
    const dropped = await allDone(
      shares.map((share) => pool.run('finishMeters', share, this.#signal)),
    );
    const sharing = accounts.filter(({ members }) => members.sharesRequests);
    for (const {
      ledger: { rows },
      members,
    } of sharing)
      await pool.run('settleShared', { rows, members }, this.#signal);
    return dropped.reduce((sum, samples) => sum + samples, 0);
  }

  #betweenPoints(accounts: readonly Account[]): Promise<Unseen> {
    const input = { accounts, sets: this.#ledgerSets(), owner: this.#owner };
    return this.#options.compute.pool.run('betweenPoints', input, this.#signal);
  }

  #ledgerSets(): SetOfLedger[] {
    return [...this.#plan.sets.keys()].map((place) => ledgerSet(this.#plan, place));
  }

  #nodeTotals(accounts: readonly Account[], nodes: Account): Promise<NodeTotals> {
    const input = { accounts, nodes, sets: this.#ledgerSets(), owner: this.#owner };
    return this.#options.compute.pool.run('nodeTotals', input, this.#signal);
  }
}

function rowsOf({ ledger: { rows }, members }: Account): SharedRequests {
  return { rows, members };
}

/** Samples in the future do not count, but are read: clocks that are ahead give a warning. */
function rangeOf({ window }: SumsPlan, marginMs: number): TimeRange {
  return { startMs: window.startMs - marginMs, endMs: window.endMs + marginMs };
}

function countedOf({ startMs, endMs }: TimeRange, { nowMs }: SumsPlan): TimeRange {
  return { startMs, endMs: Math.min(endMs, nowMs) };
}

function metersOf<Name extends MeteredResource>({ meters, tables }: Ledger<Name>): MeterInput[] {
  const { identityCount } = tables;
  return Object.values<number>(meters).map((meter) => ({ meter, identityCount }));
}

/**
 * Stored sets made of a metrics store's samples: the on-demand pipeline at `exact` resolution, its
 * rows stored as they are. Workers compute and encode rows; here bytes are only passed on.
 */
import { type Owner, withOwner } from '../../columnar/index.ts';
import { storedWarnings, type Caveats, type Window } from '../../query/index.ts';
import type { EncodedSet, SetMeta, Sets } from '../../storage/index.ts';
import type { EncodedAt, SetFilesInput } from '../sets/set-files.ts';
import { compute } from '../compute/on-demand.ts';
import type { Metrics } from '../compute/priced-store.ts';
import { ledgerSet, type SumsPlan } from '../params/plan.ts';
import type { QueryCompute } from '../compute/query.ts';
import type { ComputeTasks } from '../compute/tasks.ts';
import type { Compute } from '../../pool/index.ts';
import type { BuildTasks } from './tasks.ts';
import { NoSamples } from '../compute/refusals.ts';
import { SUMS } from '../reduced/sums-set.ts';

export interface BuildOptions {
  readonly compute: Compute<ComputeTasks & BuildTasks> &
    Pick<QueryCompute, 'running' | 'onClusterFailed'>;
  readonly metrics: Metrics;
  readonly sets: Sets;
  /** IANA zone whose days and hours the sets are. */
  readonly timezone: string;
}

/** The sets that are built from one reading of the store. */
export interface Build {
  /** Oldest first, each beginning where the one before it ends. */
  readonly windows: readonly Window[];
  /** Now: samples up to then are read. */
  readonly nowMs: number;
  readonly stateOf: (window: Window) => SetMeta['state'];
}

/**
 * Reads what the windows need, and writes their sets of allocations, assets and usage together.
 * @throws {NoSamples} (refusals.ts) when the store has no pods in the windows: nothing is stored
 * @throws {Fault} a window beyond the memory budget (422)
 * @throws {Unavailable} the store failed, or the sets cannot be written
 */
export async function buildSets(
  options: BuildOptions,
  build: Build,
  signal: AbortSignal,
): Promise<void> {
  const plan = planOf(build);
  await asQuery(options, async (keeper) => {
    const { accounts, nodes, assets, ofSets } = await compute(options, plan, keeper, signal);
    const encoded: EncodedSet[] = [];
    for (const [place, window] of plan.sets.entries()) {
      const caveats = ofSets[place];
      if (caveats === undefined) throw new Error(`BUG: no caveats of set ${place}`);
      const meta = metaOf(options, build, window, caveats);
      const set = ledgerSet(plan, place);
      const input = { accounts, nodes, assets, set, meta, keeper };
      encoded.push(...(await encodeWindow(options, input, signal)));
    }
    // Samples beside the windows are not of them.
    if (encoded.every(({ rows }) => rows === 0)) throw nothingIn(options, plan.window);
    // Files are numbered in their order, and their names are in the identities of answers.
    const isSums = ({ key }: EncodedSet): boolean => key.kind === SUMS;
    const rows = encoded.filter((set) => !isSums(set));
    await options.sets.write([...rows, ...encoded.filter(isSums)]);
  });
}

function nothingIn({ metrics: { source } }: BuildOptions, { startMs, endMs }: Window): NoSamples {
  const [start, end] = [startMs, endMs].map((ms) => new Date(ms).toISOString());
  return new NoSamples(
    `${source.name} has no samples of kube-state-metrics from ${start} to ${end}`,
  );
}

/** Runs `work`, counted as a query, with an owner whose memory is released at its end. */
export function asQuery<T>(
  { compute: memory }: BuildOptions,
  work: (owner: Owner) => Promise<T>,
): Promise<T> {
  const { running } = memory;
  return withOwner(memory, (owner) => {
    running.add(owner);
    return work(owner).finally(() => running.delete(owner));
  });
}

/** Has a worker encode the sets of one window. @returns views, as `encodedBy` */
export function encodeWindow(
  options: BuildOptions,
  input: Omit<SetFilesInput, 'owner'>,
  signal: AbortSignal,
): Promise<EncodedSet[]> {
  return encodedBy(options, (owner) =>
    options.compute.pool.run('encodeSets', { ...input, owner }, signal),
  );
}

/**
 * @param task gets an owner for intermediate results
 * @returns views: they hold as long as the memory of the sets' keeper does
 */
export async function encodedBy(
  { compute: memory }: BuildOptions,
  task: (owner: Owner) => Promise<EncodedAt[]>,
): Promise<EncodedSet[]> {
  const encoded = await withOwner(memory, task);
  return encoded.map(({ address, bytes, ...about }) => ({
    ...about,
    bytes: memory.arena.u8(address, bytes),
  }));
}

export function metaOf(
  { timezone, metrics: { source } }: BuildOptions,
  { nowMs, stateOf }: Omit<Build, 'windows'>,
  window: Window,
  { warnings, isPartial }: Caveats,
): SetMeta {
  return {
    state: stateOf(window),
    timezone,
    createdMs: nowMs,
    source: source.name,
    ...storedWarnings(warnings),
    untilMs: Math.min(window.endMs, nowMs),
    hasGaps: isPartial,
  };
}

function planOf({ windows, nowMs }: Build): SumsPlan {
  const [first, last] = [windows[0], windows.at(-1)];
  if (!first || !last) throw new Error('BUG: nothing to build');
  return {
    window: { startMs: first.startMs, endMs: last.endMs },
    sets: windows.toReversed(),
    isByCalendar: true,
    resolutionMs: 0,
    billsNodes: true,
    buildsSets: true,
    nowMs,
  };
}

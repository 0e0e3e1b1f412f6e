/** Rows of stored days and gauges of the metrics store, as savings read them. */
import { ALL_ASSET_COLUMNS } from '../assets/asset-list.ts';
import {
  holdSets,
  readGauges,
  type AllocationTasks,
  type GaugeOptions,
  type HotSets,
  type Metrics,
} from '../allocation/index.ts';
import { columnsOfFilter } from '../allocation/stored-rows.ts';
import type { ControllerSavings } from '../request-sizing/index.ts';
import type { OwnedMemory } from '../columnar/index.ts';
import type { Admission, Compute } from '../pool/index.ts';
import type { Caveats, Clock, FoundCaveats, Window } from '../query/index.ts';
import type { QueriedSets } from '../storage/index.ts';
import type { NodeSavings } from './overview.ts';
import type { AbandonedPlan, DiskPlan, QuotaPlan, SavingsWindow } from './params.ts';
import { POD_COLUMNS } from './pods.ts';
import { sizedQuotas, type SizedQuota } from './quotas.ts';
import type { DisksInput, FoundDisks, FoundPods, SavingsTasks } from './tasks.ts';

export interface SavingsOptions {
  readonly sets: QueriedSets;
  readonly hot: HotSets;
  readonly metrics: Metrics;
  readonly compute: Compute<SavingsTasks & AllocationTasks> & OwnedMemory;
  readonly clock: Clock;
  /** Turns of questions that read the metrics store, and of those that read stored days alone. */
  readonly heavy: Admission;
  readonly short: Admission;
  /** What requests and nodes save, by their own capabilities' defaults. */
  readonly requests: (
    plan: SavingsWindow,
    signal: AbortSignal,
  ) => Promise<{ readonly savings: readonly ControllerSavings[]; readonly caveats: Caveats }>;
  readonly nodes: (
    plan: SavingsWindow,
    signal: AbortSignal,
  ) => Promise<{ readonly savings: readonly NodeSavings[]; readonly caveats: Caveats }>;
}

/** Pods that are there, and those that are abandoned. */
export async function readPods(
  options: SavingsOptions,
  { days, filter, threshold, offset, limit }: AbandonedPlan,
  caveats: FoundCaveats,
  signal: AbortSignal,
): Promise<FoundPods> {
  const more = filter === null ? [] : columnsOfFilter(filter);
  const columns = [...new Set([...POD_COLUMNS, ...more])];
  const held = await holdSets(options, { kind: 'allocations', days, columns }, caveats);
  const input = { days: held.sets, filter, threshold, offset, limit };
  return await options.compute.pool.run('savingsOfPods', input, signal).finally(held.release);
}

/** Disks of stored assets; their use is read from the metrics store. */
export async function readDisks(
  options: SavingsOptions,
  report: DisksInput['report'],
  { days, window, filter, headroom, mostUsed }: DiskPlan,
  caveats: FoundCaveats,
  signal: AbortSignal,
): Promise<FoundDisks> {
  const { use, addresses } = await useOfDisks(options, report, window, caveats, signal);
  const wanted = { kind: 'assets', days, columns: ALL_ASSET_COLUMNS };
  const held = await holdSets(options, wanted, caveats);
  const input = { days: held.sets, filter, report, use, addresses, headroom, mostUsed };
  return await options.compute.pool.run('savingsOfDisks', input, signal).finally(held.release);
}

async function useOfDisks(
  options: GaugeOptions,
  report: DisksInput['report'],
  window: Window,
  caveats: FoundCaveats,
  signal: AbortSignal,
): Promise<Pick<DisksInput, 'use' | 'addresses'>> {
  const note = (text: string): void => caveats.note([text]);
  if (report === 'unclaimedVolumes' || window.endMs <= window.startMs) {
    return { use: [], addresses: [] };
  }
  if (report === 'persistentVolumeSizing') {
    const { volumeUse } = await readGauges(options, ['volumeUse'], window, signal, note);
    return { use: volumeUse, addresses: [] };
  }
  const names = ['nodeDiskUse', 'nodeAddress'] as const;
  const { nodeDiskUse, nodeAddress } = await readGauges(options, names, window, signal, note);
  return { use: nodeDiskUse, addresses: nodeAddress };
}

export async function readQuotas(
  options: SavingsOptions,
  { window, targetUtilization }: QuotaPlan,
  caveats: FoundCaveats,
  signal: AbortSignal,
): Promise<readonly SizedQuota[]> {
  if (window.endMs <= window.startMs) return [];
  const note = (text: string): void => caveats.note([text]);
  const { quota } = await readGauges(options, ['quota'], window, signal, note);
  return sizedQuotas(quota, targetUtilization);
}

/**
 * The sets of a plan with the charges of their assets, and warnings about them. Where there is neither
 * a bill nor overhead to share, no further columns of rows are read.
 */
import { isPart } from '../../assets/billed.ts';
import { NodeCostSums, type NodeCosts } from '../../assets/node-costs.ts';
import { recentBill, type BilledDays } from '../../assets/recent-bill.ts';
import {
  addedWarnings,
  assetsOfWarning,
  billedWarning,
  isPassing,
  Unavailable,
  warningsOfSet,
  type WarningLike,
  type Window,
} from '../../query/index.ts';
import { DamagedSet, type QueriedSets, type SetInfo, type StoredSet } from '../../storage/index.ts';
import type {
  AssetCharges,
  ChargedBy,
  ChargesQuery,
  MemberCharges,
} from '../reconcile/asset-charges.ts';
import type { CloudBill } from './cloud-bill.ts';
import { ASSETS } from '../sets/set-files.ts';
import { chargesId, type CachedCharges } from './cached-charges.ts';
import { inLanes } from '../caches/lanes.ts';
import { spanOf } from './set-index.ts';
import {
  resolveSets,
  type Member,
  type Resolved,
  type SetsQuery,
  type StoredOptions,
} from './stored.ts';
import { unlessDamaged } from './unless-damaged.ts';

/** Sources of charges. */
interface Charging {
  readonly sets: QueriedSets;
  readonly charges: CachedCharges;
  readonly bill: CloudBill;
}

/** How many sets and assets are reconciled with a bill. */
interface Count {
  sets: number;
  /** With a bill and with assets. */
  reconciled: number;
  billable: number;
  billed: number;
  /** Sets and assets that are charged by a bill of days before. */
  estimatedSets: number;
  estimated: number;
}

/** Counts and damage found while charges are computed. */
interface Findings {
  readonly count: Count;
  /** Warnings of sets that cannot be read, and charge nothing. */
  readonly damages: Set<string>;
  readonly assets: ReadonlyMap<string, SetInfo>;
  readonly days: readonly SetInfo[];
}

/** Finds the sets of a plan, and the charges to their rows. */
export async function resolve(
  { sets, billed, caches, clock }: Pick<StoredOptions, 'sets' | 'billed' | 'caches' | 'clock'>,
  plan: SetsQuery & { readonly charges: ChargesQuery },
): Promise<Resolved> {
  const charging: Charging = { sets, charges: caches.charges, bill: billed.cloud };
  const resolved = resolveSets(sets, clock.calendar, plan);
  const { charges: request } = plan;
  const count: Count = {
    sets: 0,
    reconciled: 0,
    billable: 0,
    billed: 0,
    estimatedSets: 0,
    estimated: 0,
  };
  const damages = new Set<string>();
  const days = sets.list(ASSETS);
  const assets = new Map(days.map((info) => [spanOf(info.key), info]));
  const findings: Findings = { count, damages, assets, days };
  const members = resolved.groups.flatMap((group) => group.members);
  const charged = members.flatMap((member) => {
    const by = chargedBy(charging, request, member, findings);
    return by ? [{ member, by }] : [];
  });
  count.sets = members.length;
  const sources = charged.map(({ by }) => by);
  const found = await chargesOf(charging, sources, findings);
  const charges = new Map<Member, MemberCharges>();
  const billedCosts = new Map<Member, NodeCosts | null>();
  const concerned = new Map<Member, AssetCharges['concerned']>();
  charged.forEach(({ member, by }, i) => {
    const own = found[i];
    if (own === undefined) return;
    addTo(count, by, own);
    billedCosts.set(member, own.nodeCosts);
    if (request.reconcile) concerned.set(member, own.concerned);
    if (own.assets !== '') charges.set(member, { ...own, id: chargesId(by), request });
  });
  const withCharges = (member: Member): Member => {
    const own = charges.get(member);
    return own ? { ...member, charges: own } : member;
  };
  const lacking = request.reconcile ? unbilled(count) : [];
  const nodeCosts = new NodeCostSums();
  for (const member of members)
    nodeCosts.addAll(billedCosts.get(member) ?? member.meta.nodeCosts ?? {});
  return {
    ...resolved,
    groups: resolved.groups.map((group) => ({
      ...group,
      members: group.members.map(withCharges),
    })),
    warnings: [
      ...new Set([...warningsBilled(resolved, members, concerned), ...damages, ...lacking]),
    ],
    nodeCosts: nodeCosts.all,
    message: request.reconcile ? messageOf(count) : '',
    isPartial: resolved.isPartial || damages.size > 0,
    isDamaged: resolved.isDamaged || damages.size > 0,
  };
}

/** Warnings of the answer with costs of what a bill charges for the assets that they are about. */
function warningsBilled(
  { warnings, warningsBeside }: Resolved,
  members: readonly Member[],
  concerned: ReadonlyMap<Member, AssetCharges['concerned']>,
): readonly WarningLike[] {
  const isBilled = members.some((member) => Object.keys(concerned.get(member) ?? {}).length > 0);
  if (!isBilled) return warnings;
  const ofSets = members.flatMap((member) =>
    warningsOfSet(member.meta).map((one) => billedWarning(one, concerned.get(member) ?? {})),
  );
  return [...warningsBeside, ...addedWarnings(ofSets)];
}

/** @returns undefined where nothing can be charged */
function chargedBy(
  { sets, bill }: Charging,
  request: ChargesQuery,
  member: Member,
  findings: Findings,
): ChargedBy | undefined {
  const key = { ...member.stored.key, kind: ASSETS };
  const info = findings.assets.get(spanOf(key));
  const damage = info?.damage ?? info?.insteadOf;
  if (damage !== undefined)
    warnOfDamagedAssets(bill, request, new DamagedSet(key, damage), findings);
  const assets = assetsBeside(sets, member, findings.assets);
  if (assets === undefined) return undefined;
  const lines = request.reconcile ? linesOf(bill, assets.key, findings) : [];
  const days: BilledDays = {
    assets: findings.days,
    locate: (of) => sets.locate(of),
    linesOf: (window) => linesOf(bill, window, findings),
  };
  const recent = request.reconcile ? recentBill(days, assets.key) : null;
  const isCharged = lines.length > 0 || recent !== null || request.shareTenancyCosts;
  const day = lines.length > 0 ? dayOf(sets, assets.key, findings.days) : null;
  const concerned = warningsOfSet(member.meta).flatMap(assetsOfWarning);
  return isCharged ? { assets, lines, recent, day, concerned } : undefined;
}

/** The stored day that a window is a part of. */
function dayOf(sets: QueriedSets, key: Window, all: readonly SetInfo[]): StoredSet | null {
  const info = all.find((one) => one.damage === undefined && isPart(key, one.key));
  return (info && sets.locate(info.key)) ?? null;
}

/** Damaged assets charge nothing: a warning only where they would have. */
function warnOfDamagedAssets(
  bill: CloudBill,
  { reconcile, shareTenancyCosts }: ChargesQuery,
  { key, message }: DamagedSet,
  findings: Findings,
): void {
  const isBilled = reconcile && linesOf(bill, key, findings).length > 0;
  if (isBilled || shareTenancyCosts)
    findings.damages.add(`${message}: they charge nothing to its rows`);
}

/** Lines of a bill of which a part is damaged would make everything cheaper: they are not used. */
function linesOf(bill: CloudBill, key: Window, { damages }: Findings): readonly StoredSet[] {
  try {
    return bill.linesOf(key);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    damages.add(`${error.message}: nothing is reconciled with it`);
    return [];
  }
}

/** Each by itself where something is damaged, so that the others stay as they are. */
async function chargesOf(
  charging: Charging,
  all: readonly ChargedBy[],
  findings: Findings,
): Promise<readonly (AssetCharges | undefined)[]> {
  try {
    return await charging.charges.open(all);
  } catch (error) {
    if (!(error instanceof Unavailable) || isPassing(error)) throw error;
    return await inLanes(all, (by) => undamagedCharges(charging, by, findings));
  }
}

/** Where the bill turns out to be damaged, there is still overhead to share. */
async function undamagedCharges(
  charging: Charging,
  by: ChargedBy,
  findings: Findings,
): Promise<AssetCharges | undefined> {
  const { sets, charges } = charging;
  const found = await unlessDamaged(sets, by.assets, findings.damages, () => charges.open([by]));
  if (found) return found[0];
  if (by.day !== null) {
    await sets.setAside(by.day);
    return await undamagedCharges(charging, { ...by, day: null }, findings);
  }
  if (by.recent !== null) {
    for (const line of by.recent.lines) await sets.setAside(line);
    return await undamagedCharges(charging, { ...by, recent: null }, findings);
  }
  for (const line of by.lines) await sets.setAside(line);
  return by.lines.length === 0
    ? undefined
    : await undamagedCharges(charging, { ...by, lines: [] }, findings);
}

function addTo(
  count: Count,
  { lines, recent }: ChargedBy,
  { billable, billed, estimated }: AssetCharges,
): void {
  if (lines.length === 0 && recent === null) return;
  count.reconciled++;
  count.billable += billable;
  count.billed += billed;
  count.estimated += estimated;
  if (estimated > 0) count.estimatedSets++;
}

/** Assets that were stored together with the rows: others do not match them. */
function assetsBeside(
  sets: QueriedSets,
  { stored, meta }: Member,
  infos: ReadonlyMap<string, SetInfo>,
): StoredSet | undefined {
  const key = { ...stored.key, kind: ASSETS };
  const info = infos.get(spanOf(key));
  const isOfSame = info?.meta.createdMs === meta.createdMs && info.meta.source === meta.source;
  return isOfSame && info.damage === undefined ? sets.locate(key) : undefined;
}

function unbilled(count: Count): string[] {
  const { sets, reconciled, billable, billed, estimatedSets, estimated } = count;
  if (reconciled === 0) return [];
  const others = sets - reconciled;
  return [
    ...(others === 0
      ? []
      : [`${others} of ${sets} sets have no cloud bill, or no assets to hold it against`]),
    ...(estimated === 0
      ? []
      : [
          `${estimated} nodes, disks and load balancers of ${estimatedSets} of ${sets} sets are not ` +
            'in the cloud bill yet: they cost what it charged last',
        ]),
    ...(billed === billable
      ? []
      : [
          `the cloud bill tells of ${billed} of ${billable} nodes, disks and load balancers, ` +
            'each set counted by itself: the others stay at list price',
        ]),
  ];
}

function messageOf({ sets, reconciled }: Count): string {
  if (sets === 0 || reconciled > 0) return '';
  return (
    'no cloud bill tells of the assets of the window: costs are list prices, ' +
    'and adjustments are 0 but for those that were imported'
  );
}

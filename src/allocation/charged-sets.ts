/**
 * The sets of a plan with what their assets charge to their rows, and what is to be told of it. Where
 * there is neither a bill nor overhead to share, nothing is read of rows that would not be anyway.
 */
import { Unavailable, type Calendar } from '../query/index.ts';
import type { QueriedSets, SetInfo, StoredSet } from '../storage/index.ts';
import type { ChargedBy, ChargesAsked, MemberCharges } from './asset-charges.ts';
import type { CloudBill } from './cloud-bill.ts';
import { ASSETS } from './keep-set.ts';
import type { KeptCharges } from './kept-charges.ts';
import { inLanes } from './lanes.ts';
import { spanOf } from './set-index.ts';
import { resolveSets, type Member, type Resolved, type SetsAsked } from './stored.ts';
import { unlessDamaged } from './unless-damaged.ts';

export interface ChargingOptions {
  readonly sets: QueriedSets;
  readonly calendar: Calendar;
  readonly charges: KeptCharges;
  readonly bill: CloudBill;
}

/** How many assets of sets a bill could tell of, and tells of. */
interface Count {
  sets: number;
  /** With a bill and with assets. */
  reconciled: number;
  billable: number;
  billed: number;
}

/** What is found on the way. */
interface Told {
  readonly count: Count;
  readonly warnings: Set<string>;
  readonly assets: ReadonlyMap<string, SetInfo>;
}

/** Finds the sets of a plan, and what is charged to their rows. */
export async function resolve(
  options: ChargingOptions,
  plan: SetsAsked & { readonly charges: ChargesAsked },
): Promise<Resolved> {
  const resolved = resolveSets(options, plan);
  const count: Count = { sets: 0, reconciled: 0, billable: 0, billed: 0 };
  const warnings = new Set(resolved.warnings);
  const told: Told = { count, warnings, assets: assetsIn(options.sets) };
  const groups = await inLanes(resolved.groups, async ({ window, members }) => ({
    window,
    members: await inLanes(members, (member) => withCharges(options, plan.charges, member, told)),
  }));
  const { reconcile } = plan.charges;
  for (const warning of reconcile ? unbilled(count) : []) warnings.add(warning);
  return {
    ...resolved,
    groups,
    warnings: [...warnings],
    message: reconcile ? messageOf(count) : '',
  };
}

async function withCharges(
  options: ChargingOptions,
  asked: ChargesAsked,
  member: Member,
  told: Told,
): Promise<Member> {
  told.count.sets++;
  const assets = assetsBeside(options.sets, member, told.assets);
  if (assets === undefined) return member;
  const lines = asked.reconcile ? linesOf(options.bill, assets, told) : [];
  const found = await chargesBy(options, { assets, lines }, asked, told);
  if (found === undefined) return member;
  if (found.lines > 0) told.count.reconciled++;
  told.count.billable += found.lines > 0 ? found.billable : 0;
  told.count.billed += found.billed;
  return found.assets === '' ? member : { ...member, charges: found };
}

/** Lines of a bill of which a part is damaged would make everything cheaper: they are not used. */
function linesOf(bill: CloudBill, { key }: StoredSet, { warnings }: Told): readonly StoredSet[] {
  try {
    return bill.linesOf(key);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    warnings.add(`${error.message}: nothing is reconciled with it`);
    return [];
  }
}

interface Found extends MemberCharges {
  readonly lines: number;
}

/** Where the bill turns out to be damaged, there is still overhead to share. */
async function chargesBy(
  options: ChargingOptions,
  { assets, lines }: ChargedBy,
  asked: ChargesAsked,
  told: Told,
): Promise<Found | undefined> {
  if (lines.length === 0 && !asked.shareTenancyCosts) return undefined;
  const { sets, charges } = options;
  const id = JSON.stringify([assets, ...lines].map(({ place, directory }) => [place, directory]));
  const found = await unlessDamaged(sets, assets, told.warnings, () =>
    charges.open(id, { assets, lines }),
  );
  if (found) return { ...found, id, asked, lines: lines.length };
  for (const line of lines) await sets.setAside(line);
  return lines.length === 0
    ? undefined
    : await chargesBy(options, { assets, lines: [] }, asked, told);
}

/** Those that were stored together with the rows: others are not what the rows were charged for. */
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

function assetsIn(sets: QueriedSets): ReadonlyMap<string, SetInfo> {
  return new Map(sets.list(ASSETS).map((info) => [spanOf(info.key), info]));
}

function unbilled({ sets, reconciled, billable, billed }: Count): string[] {
  if (reconciled === 0) return [];
  const others = sets - reconciled;
  return [
    ...(others === 0
      ? []
      : [`${others} of ${sets} sets have no cloud bill, or no assets to hold it against`]),
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
    'no cloud bill tells of the window: costs are list prices, ' +
    'and adjustments are 0 but for those that were imported'
  );
}

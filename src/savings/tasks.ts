/** Tasks of savings: workers read rows of stored days, and give each dollar to one recommendation. */
import { joinTables, openTable, type Engine, type Table, type TableAddresses } from '../columnar/index.ts'; // prettier-ignore
import { select } from '../allocation/stored-rows.ts';
import type { TasksOf } from '../pool/task.ts';
import type { Filter } from '../query/index.ts';
import { abandonedJson, abandonedPods, type AbandonedQuery } from './abandoned.ts';
import { attributed, CATEGORIES, type Category, type Claim } from './attribution.ts';
import {
  nodeDisksWithUse,
  smallerDisks,
  usedDiskJson,
  volumesWithUse,
  type Gauge,
} from './disk-use.ts';
import { disksOf, unclaimedJson, unclaimedVolumes } from './disks.ts';
import {
  abandonedClaims,
  costsOf,
  nodeClaims,
  smallerClaims,
  requestClaims,
  unclaimedClaims,
  type NodeSavings,
  type PodCost,
  type RequestSavings,
} from './overview.ts';
import { lastMoments, livingPods, podsOf } from './pods.ts';

/** Days, newest first, each as tables of the same rows with different columns. */
type Days = readonly (readonly TableAddresses[])[];

export interface PodsInput extends AbandonedQuery {
  readonly days: Days;
  /** Null: all. */
  readonly filter: Filter | null;
  readonly offset: number;
  /** Null: all; 0: claims alone. */
  readonly limit: number | null;
}

export interface FoundPods {
  readonly shown: readonly object[];
  readonly withoutTraffic: number;
  readonly claims: readonly Claim[];
  readonly costs: readonly PodCost[];
}

/** What is known of the use of disks; null: their use is not asked for. */
export interface DisksInput {
  readonly days: Days;
  readonly filter: Filter | null;
  readonly report: 'unclaimedVolumes' | 'persistentVolumeSizing' | 'localLowDisks';
  readonly use: readonly Gauge[];
  readonly addresses: readonly Gauge[];
  /** What is left free, as a part of what is used. */
  readonly headroom: number;
  /** Disks of which a larger part is used are left out. */
  readonly mostUsed: number;
}

export interface FoundDisks {
  readonly shown: readonly object[];
  readonly usdPerMonth: number;
  /** Disks of which the use is not known. */
  readonly unknown: number;
  readonly claims: readonly Claim[];
}

export interface OverviewInput {
  readonly claims: readonly Claim[];
  readonly requests: readonly RequestSavings[];
  readonly nodes: readonly NodeSavings[];
  readonly costs: readonly PodCost[];
}

export interface Overview {
  /** USD a month: given to the category alone, and what it would save by itself. */
  readonly categories: Readonly<
    Record<Category, { readonly given: number; readonly alone: number }>
  >;
  readonly total: number;
}

export type SavingsTasks = {
  savingsOfPods: { input: PodsInput; output: FoundPods };
  savingsOfDisks: { input: DisksInput; output: FoundDisks };
  savingsOverview: { input: OverviewInput; output: Overview };
};

export function savingsTasks({ arena }: Engine): TasksOf<SavingsTasks> {
  const open = (days: Days): Table[] =>
    days.map((day) => joinTables(day.map((at) => openTable(arena, at))));
  return {
    savingsOfPods({ days, filter, threshold, offset, limit }) {
      const rows = (table: Table) => (filter === null ? undefined : select(table, filter));
      const tables = open(days);
      const pods = livingPods(podsOf(tables, rows), lastMoments(tables));
      const abandoned = abandonedPods(pods, { threshold });
      const page = abandoned.pods.slice(offset, limit === null ? undefined : offset + limit);
      return {
        shown: page.map(abandonedJson),
        withoutTraffic: abandoned.withoutTraffic,
        claims: abandonedClaims(abandoned),
        costs: costsOf(pods),
      };
    },

    savingsOfDisks: (input) => foundDisks(open(input.days), input),

    savingsOverview({ claims, requests, nodes, costs }) {
      const all = [...claims, ...requestClaims(requests, costs), ...nodeClaims(nodes, costs)];
      const { given, claimed, total } = attributed(all);
      const categories = Object.fromEntries(
        CATEGORIES.map((category) => [
          category,
          { given: given.get(category) ?? 0, alone: claimed.get(category) ?? 0 },
        ]),
      ) as Overview['categories'];
      return { categories, total };
    },
  };
}

function foundDisks(
  days: readonly Table[],
  { filter, report, use, addresses, headroom, mostUsed }: DisksInput,
): FoundDisks {
  const disks = disksOf(days, filter);
  if (report === 'unclaimedVolumes') {
    const unclaimed = unclaimedVolumes(disks);
    return {
      shown: unclaimed.map(unclaimedJson),
      usdPerMonth: unclaimed.reduce((sum, { usdPerMonth }) => sum + usdPerMonth, 0),
      unknown: 0,
      claims: unclaimedClaims(unclaimed),
    };
  }
  const { used, unknown } =
    report === 'localLowDisks'
      ? nodeDisksWithUse(disks, use, addresses)
      : volumesWithUse(disks, use);
  const low = used.filter(([{ bytes }, usedBytes]) => usedBytes <= mostUsed * bytes);
  const smaller = smallerDisks(low, headroom);
  return {
    shown: smaller.map(usedDiskJson),
    usdPerMonth: smaller.reduce((sum, { usdPerMonth }) => sum + usdPerMonth, 0),
    unknown,
    claims: smallerClaims(report, smaller),
  };
}

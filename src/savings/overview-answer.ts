/** The overview of savings: what each recommendation saves where every dollar is counted once. */
import { timestamp } from '../export/index.ts';
import { FoundCaveats, Unavailable } from '../query/index.ts';
import { CATEGORIES, type Category, type Claim } from './attribution.ts';
import { readDisks, readPods, type SavingsOptions } from './facts.ts';
import { HEADROOM_DEFAULT, LOW_DEFAULT, THRESHOLD_DEFAULT, type DiskPlan, type SavingsWindow } from './params.ts'; // prettier-ignore
import { workloadKey } from './pods.ts';

export interface CategorySavings {
  readonly category: Category;
  /** USD a month that are this category's alone, and what it would save by itself. */
  readonly givenUsd: number;
  readonly aloneUsd: number;
}

export interface SavingsOverview {
  readonly categories: readonly CategorySavings[];
  readonly totalUsdPerMonth: number;
  /** The end of the newest day that was read, or now. */
  readonly lastRefresh: string;
}

/** @param caveats get what the days lack, and which recommendations could not be made */
export async function readOverview(
  options: SavingsOptions,
  plan: SavingsWindow,
  caveats: FoundCaveats,
  signal: AbortSignal,
): Promise<SavingsOverview> {
  const pods = await readPods(
    options,
    { ...plan, filter: null, threshold: THRESHOLD_DEFAULT, offset: 0, limit: 0 },
    caveats,
    signal,
  );
  const requests = await options.requests(plan, signal);
  const nodes = await options.nodes(plan, signal);
  for (const { caveats: own } of [requests, nodes]) caveats.add(own);
  const left = new Set<Category>();
  const claims: Claim[] = [...pods.claims];
  for (const [report, disks] of DISKS) {
    try {
      const found = await readDisks(options, report, { ...plan, ...disks }, caveats, signal);
      claims.push(...found.claims);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      // The rest is known without a metrics store.
      left.add(report);
      caveats.lack([`${report} is left out: ${error.message}`]);
    }
  }
  const input = {
    claims,
    requests: requests.savings.map((each) => ({
      workload: workloadKey(each.cluster, each.namespace, each.controllerKind, each.controllerName),
      usdPerMonth: each.usdPerMonth,
    })),
    nodes: nodes.savings,
    costs: pods.costs,
  };
  const { categories, total } = await options.compute.pool.run('savingsOverview', input, signal);
  return {
    categories: CATEGORIES.filter((category) => !left.has(category)).map((category) => ({
      category,
      givenUsd: categories[category].given,
      aloneUsd: categories[category].alone,
    })),
    totalUsdPerMonth: total,
    lastRefresh: timestamp(plan.window.endMs),
  };
}

const WHOLE = { filter: null, headroom: 0, mostUsed: 1 };

/** Reports of disks, by the defaults of their routes. */
const DISKS: readonly (readonly [
  'unclaimedVolumes' | 'persistentVolumeSizing' | 'localLowDisks',
  Pick<DiskPlan, 'filter' | 'headroom' | 'mostUsed'>,
])[] = [
  ['unclaimedVolumes', WHOLE],
  ['persistentVolumeSizing', { ...WHOLE, headroom: HEADROOM_DEFAULT }],
  ['localLowDisks', { ...WHOLE, headroom: HEADROOM_DEFAULT, mostUsed: LOW_DEFAULT }],
];

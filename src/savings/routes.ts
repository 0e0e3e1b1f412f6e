/** GET /savings and the recommendations of workloads, disks and quotas. */
import { answeringWhole, caveatFields, caveatHeaders, json, type Route } from '../http/index.ts';
import { discreet, FoundCaveats, withNotes, type Caveats } from '../query/index.ts';
import { readDisks, readPods, readQuotas, type SavingsOptions } from './facts.ts';
import { readOverview, type CategorySavings, type SavingsOverview } from './overview-answer.ts';
import {
  readAbandonedPlan,
  readDiskPlan,
  readLowDiskPlan,
  readOverviewWindow,
  readQuotaPlan,
  readVolumePlan,
  type AbandonedPlan,
  type DiskPlan,
  type QuotaPlan,
  type SavingsWindow,
} from './params.ts';
import type { SizedQuota } from './quotas.ts';
import type { FoundDisks, FoundPods } from './tasks.ts';

interface Answered<Value> {
  readonly value: Value;
  readonly caveats: Caveats;
}

export function savingsRoutes(options: SavingsOptions): Route[] {
  return [
    overviewRoute(options),
    abandonedRoute(options),
    diskRoute(options, 'unclaimedVolumes', readDiskPlan),
    diskRoute(options, 'persistentVolumeSizing', readVolumePlan),
    diskRoute(options, 'localLowDisks', readLowDiskPlan),
    quotaRoute(options),
  ];
}

const READ = { method: 'GET', needs: 'viewer' } as const;

function contextOf({ clock }: SavingsOptions) {
  return { calendar: clock.calendar, nowMs: clock.nowMs() };
}

/** A list alone, as clients read it: caveats are in headers. */
function abandonedRoute(options: SavingsOptions): Route {
  return {
    ...READ,
    path: '/savings/abandonedWorkloads',
    scoping: 'joined',
    handle: answeringWhole<AbandonedPlan, Answered<FoundPods>>({
      plan: (_, params) => readAbandonedPlan(params, contextOf(options)),
      turns: options.short,
      async value(plan, { signal }) {
        const caveats = new FoundCaveats();
        const value = await readPods(options, plan, caveats, signal);
        const { withoutTraffic: count } = value;
        if (count > 0) caveats.note([silent(count)]);
        return { value, caveats };
      },
      reply({ value, caveats }, _, ignored, isScoped) {
        const told = isScoped ? discreet(caveats, ignored) : withNotes(ignored, caveats);
        const reply = json(value.shown);
        return { ...reply, headers: { ...reply.headers, ...caveatHeaders(told) } };
      },
      isTagged: () => false,
    }),
  };
}

function silent(count: number): string {
  const pods = count === 1 ? '1 pod has' : `${count} pods have`;
  return `${pods} no traffic that the store tells of: nothing is recommended for what is not known`;
}

/** What is not known of some of the disks that are asked for. */
const UNKNOWN: Readonly<Record<'persistentVolumeSizing' | 'localLowDisks', string>> = {
  persistentVolumeSizing: 'kubelet_volume_stats_used_bytes',
  localLowDisks: 'container_fs_usage_bytes',
};

function diskRoute(
  options: SavingsOptions,
  report: 'unclaimedVolumes' | 'persistentVolumeSizing' | 'localLowDisks',
  read: typeof readDiskPlan,
): Route {
  return {
    ...READ,
    path: `/savings/${report}`,
    scoping: { refused: 'disks are not of some rows' },
    handle: answeringWhole<DiskPlan, Answered<FoundDisks>>({
      plan: (_, params) => read(params, contextOf(options)),
      turns: report === 'unclaimedVolumes' ? options.short : options.heavy,
      async value(plan, { signal }) {
        const caveats = new FoundCaveats();
        const value = await readDisks(options, report, plan, caveats, signal);
        if (value.unknown > 0 && report !== 'unclaimedVolumes') {
          caveats.note([unknownUse(value.unknown, UNKNOWN[report])]);
        }
        return { value, caveats };
      },
      reply({ value, caveats }, _, ignored) {
        const { shown: recommendations, usdPerMonth: totalMonthlySavings } = value;
        const data = { totalMonthlySavings, recommendations };
        return json({ code: 200, data, ...caveatFields(withNotes(ignored, caveats)) });
      },
      isTagged: () => false,
    }),
  };
}

function unknownUse(count: number, metric: string): string {
  const disks = count === 1 ? '1 disk' : `${count} disks`;
  return `the use of ${disks} is not known: no series ${metric} tells it`;
}

function quotaRoute(options: SavingsOptions): Route {
  return {
    ...READ,
    path: '/savings/resourceQuotaSizing/recommendations',
    scoping: { refused: 'quotas are not of some rows' },
    handle: answeringWhole<QuotaPlan, Answered<readonly SizedQuota[]>>({
      plan: (_, params) => readQuotaPlan(params, contextOf(options)),
      turns: options.heavy,
      async value(plan, { signal }) {
        const caveats = new FoundCaveats();
        return { value: await readQuotas(options, plan, caveats, signal), caveats };
      },
      reply: ({ value: recommendations, caveats }, _, ignored) =>
        json({
          code: 200,
          data: { recommendations },
          ...caveatFields(withNotes(ignored, caveats)),
        }),
      isTagged: () => false,
    }),
  };
}

function overviewRoute(options: SavingsOptions): Route {
  return {
    ...READ,
    path: '/savings',
    scoping: { refused: 'nodes and disks are not of some rows' },
    handle: answeringWhole<SavingsWindow, Answered<SavingsOverview>>({
      plan: (_, params) => readOverviewWindow(params, contextOf(options)),
      turns: options.heavy,
      async value(plan, { signal }) {
        const caveats = new FoundCaveats();
        return { value: await readOverview(options, plan, caveats, signal), caveats };
      },
      reply({ value, caveats }, _, ignored) {
        const { categories, totalUsdPerMonth, lastRefresh } = value;
        const data = Object.fromEntries(
          categories.map((each) => [each.category, shown(each, lastRefresh)]),
        );
        return json({
          code: 200,
          data,
          totalSavingsPerMonth: totalUsdPerMonth,
          ...caveatFields(withNotes(ignored, caveats)),
        });
      },
      isTagged: () => false,
    }),
  };
}

function shown({ givenUsd, aloneUsd }: CategorySavings, lastRefresh: string): object {
  return { savingsPerMonth: givenUsd, savingsPerMonthAlone: aloneUsd, lastRefresh };
}

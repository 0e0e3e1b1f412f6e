/** GET /kubernetes/containers/resources and its time series: what containers requested and used. */
import { answeringWhole, caveatFields, json, type AnswerCaching, type Route } from '../http/index.ts'; // prettier-ignore
import { discreet, HOUR_MS, withNotes, type Caveats, type Window } from '../query/index.ts';
import { windowOf } from '../export/index.ts';
import { inLanes } from './caches/lanes.ts';
import { readRowsOfDays, type RowsOfDays } from './params/rows-of-days.ts';
import { MAXIMA, type ResourceItem } from './query/resource-items.ts';
import { columnsNeeded } from './query/stored-columns.ts';
import { resolve } from './stored/charged-sets.ts';
import { GroupedMembers } from './stored/grouped-members.ts';
import { planOf, rowsQuery } from './stored/rows-request.ts';
import { wholeOf, type StoredOptions } from './stored/stored.ts';

type Options = StoredOptions & { readonly answers: Pick<AnswerCaching, 'admission'> };

/** What was requested and used in a time. */
interface TimeItems {
  readonly window: Window;
  readonly items: readonly ResourceItem[];
}

interface Resources extends Caveats {
  /** Oldest first. */
  readonly times: readonly TimeItems[];
}

export function resourceRoutes(options: Options): Route[] {
  return [
    resourceRoute(options, '/kubernetes/containers/resources', 'all', ({ times }) => ({
      items: times[0]?.items ?? [],
    })),
    resourceRoute(options, '/kubernetes/containers/resources/timeseries', 'none', ({ times }) => ({
      timeseries: times.map(({ window, items }) => ({ window: windowOf(window), items })),
    })),
  ];
}

function resourceRoute(
  options: Options,
  path: string,
  unit: 'all' | 'none',
  shaped: (resources: Resources) => object,
): Route {
  const { answers, clock } = options;
  return {
    method: 'GET',
    path,
    needs: 'viewer',
    scoping: 'joined',
    handle: answeringWhole<RowsOfDays, Resources>({
      plan: (_, params) => readRowsOfDays(params, clock, 'container'),
      turns: answers.admission,
      value: (plan, { signal }) => readResources(options, plan, unit, signal),
      reply(resources, { days }, ignored, isScoped) {
        const told = isScoped ? discreet(resources, ignored) : withNotes(ignored, resources);
        const data = { window: windowOf(wholeOf({ days })), ...shaped(resources) };
        return json({ code: 200, data, ...caveatFields(told) });
      },
      isTagged: () => false,
    }),
  };
}

async function readResources(
  options: Options,
  { days, keys, filter, nowMs }: RowsOfDays,
  unit: 'all' | 'none',
  signal: AbortSignal,
): Promise<Resources> {
  const request = { days, nowMs, keys, filter, idleByNode: false, idle: 'none' as const };
  const query = rowsQuery(request);
  const columns = columnsNeeded(query, 'allocations');
  const members = new GroupedMembers(options, query, columns && [...columns, ...MAXIMA]);
  const { groups, warnings, isPartial } = await resolve(options, planOf(request, unit));
  const damages = new Set<string>();
  const times = await inLanes(groups, async ({ window, members: of }) => {
    const held = await Promise.all(
      of.map((member) =>
        members.unlessDamaged(member, damages, () => {
          signal.throwIfAborted();
          return members.held(member, signal);
        }),
      ),
    );
    const sets = held.flatMap((each) => each?.grouped ?? []);
    const endMs = Math.min(window.endMs, Math.max(window.startMs, nowMs));
    const hours = (endMs - window.startMs) / HOUR_MS;
    const items = await options.compute.pool
      .run('resourceItems', { sets, hours }, signal)
      .finally(() => held.forEach((each) => each?.release()));
    return { window, items };
  });
  return {
    times: times.reverse(),
    warnings: [...new Set([...warnings, ...damages])],
    isPartial: isPartial || damages.size > 0,
  };
}

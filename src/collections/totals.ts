/** Costs of collections: of a category or of one collection, in total or by day. */
import { aboutSubject, idAndName, windowOf, type CollectionQuery } from './collection-query.ts';
import { addUp, costObject, overlapOf, type Cost } from './cost.ts';
import { overlapSelections, overlapsIn, refuseManyOverlaps } from './overlaps.ts';
import { selectionOf } from './query-params.ts';
import { Reports, type Costs, type Report } from './reports.ts';
import { union, type Selection } from './selection.ts';
import type { StoredCollection } from './state.ts';

/** The parts of a subject: `collections` of a category, `groups` of a collection. */
interface Parts {
  readonly name: 'collections' | 'groups';
  readonly selections: readonly Selection[];
  readonly about: readonly object[];
}

/** @throws {Fault} 422 for overlaps of too many collections @throws {Unavailable} */
export async function total(query: CollectionQuery): Promise<object> {
  if (query.subject.kind === 'category' && query.params.flag('overlaps', false)) {
    return await overlappingTotal(query, query.subject.collections);
  }
  const parts = partsOf(query);
  const { days, warnings } = await costsOf(query, parts);
  const of = parts?.about.map((_, i) => addUp(days.flatMap((day) => day.parts[i] ?? []))) ?? [];
  const costs = { whole: addUp(days.map((day) => day.whole)), parts: of };
  return aboutSubject(query, warnings, dataOf(costs, parts));
}

/** The total of a category with all its collections, what each pair shares and what each has alone. */
async function overlappingTotal(
  query: CollectionQuery,
  members: readonly StoredCollection[],
): Promise<object> {
  refuseManyOverlaps(members.length);
  const own = partsOfCategory(members);
  const selections = [...own.selections, ...overlapSelections(own.selections)];
  const { days, warnings } = await costsOf(query, { ...own, selections });
  const sums = selections.map((_, i): Cost => addUp(days.flatMap((day) => day.parts[i] ?? [])));
  const whole = addUp(days.map((day) => day.whole));
  const parts = sums.slice(0, members.length);
  const { pairs, alone } = overlapsIn(parts, whole, sums.slice(members.length));
  return aboutSubject(query, warnings, {
    cost: costObject(whole),
    overlap: overlapOf(whole, parts),
    collections: parts.map((cost, i) => ({
      ...own.about[i],
      cost: costObject(cost),
      aloneCost: alone[i],
    })),
    overlaps: pairs.map(({ pair, usd }) => ({
      ids: pair.map((place) => members[place]?.collection.id),
      totalCost: usd,
    })),
  });
}

/** An entry for each day, oldest first. @throws {Unavailable} */
export async function timeseries(query: CollectionQuery): Promise<object> {
  const parts = partsOf(query);
  const { days, warnings } = await costsOf(query, parts);
  const series = days.map((costs, i) => {
    const window = query.times.days.at(-1 - i);
    if (window === undefined) throw new Error('BUG: more costs than days');
    return { window: windowOf(window), ...dataOf(costs, parts) };
  });
  return aboutSubject(query, warnings, { timeseries: series });
}

/** @returns null where parts are not requested */
function partsOf({ params, subject }: CollectionQuery): Parts | null {
  if (subject.kind === 'collection') {
    const { groups, collection } = subject.known;
    if (!params.flag('groups', false)) return null;
    return { name: 'groups', selections: groups, about: collection.groups };
  }
  if (!params.flag('collections', false)) return null;
  return partsOfCategory(subject.collections);
}

function partsOfCategory(members: readonly StoredCollection[]): Parts {
  const selections = members.map(({ groups }) => union(groups));
  return { name: 'collections', selections, about: members.map(idAndName) };
}

function costsOf(
  { idle, sources, subject, scope, times }: CollectionQuery,
  parts: Parts | null,
): Promise<Report<Costs>> {
  const whole = selectionOf(subject);
  return new Reports(sources, scope).costs(times, idle, whole, parts?.selections ?? []);
}

function dataOf({ whole, parts: costs }: Costs, parts: Parts | null): object {
  if (parts === null) return { cost: costObject(whole) };
  const each = costs.map((cost, i) => ({ ...parts.about[i], cost: costObject(cost) }));
  return { cost: costObject(whole), overlap: overlapOf(whole, costs), [parts.name]: each };
}

/** Costs of collections: of a category or of one collection, in total or by day. */
import { aboutSubject, idAndName, windowOf, type CollectionQuery } from './collection-query.ts';
import { addUp, costObject, overlapOf } from './cost.ts';
import { selectionOf } from './query-params.ts';
import { Reports, type Costs, type Report } from './reports.ts';
import { union, type Selection } from './selection.ts';

/** The parts of a subject: `collections` of a category, `groups` of a collection. */
interface Parts {
  readonly name: 'collections' | 'groups';
  readonly selections: readonly Selection[];
  readonly about: readonly object[];
}

/** @throws {Unavailable} */
export async function total(query: CollectionQuery): Promise<object> {
  const parts = partsOf(query);
  const { days, warnings } = await costsOf(query, parts);
  const of = parts?.about.map((_, i) => addUp(days.flatMap((day) => day.parts[i] ?? []))) ?? [];
  const costs = { whole: addUp(days.map((day) => day.whole)), parts: of };
  return aboutSubject(query, warnings, dataOf(costs, parts));
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
  const { collections: members } = subject;
  const selections = members.map(({ groups }) => union(groups));
  return { name: 'collections', selections, about: members.map(idAndName) };
}

function costsOf(
  { registry, sources, subject, scope, times }: CollectionQuery,
  parts: Parts | null,
): Promise<Report<Costs>> {
  const whole = selectionOf(subject);
  return new Reports(sources, scope).costs(times, registry.idle, whole, parts?.selections ?? []);
}

function dataOf({ whole, parts: costs }: Costs, parts: Parts | null): object {
  if (parts === null) return { cost: costObject(whole) };
  const each = costs.map((cost, i) => ({ ...parts.about[i], cost: costObject(cost) }));
  return { cost: costObject(whole), overlap: overlapOf(whole, costs), [parts.name]: each };
}

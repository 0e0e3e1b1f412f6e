/** Endpoint 1, and the same of one collection and of days: what collections cost. */
import { aboutSubject, idAndName, windowOf, type Asked } from './asked.ts';
import { addUp, costObject, overlapOf } from './cost.ts';
import { selectionOf } from './query-params.ts';
import { Reports, type Costs, type Report } from './reports.ts';
import { union, type Selection } from './selection.ts';

/** Parts of a subject, each by itself: `collections` of a category, `groups` of a collection. */
interface Parts {
  readonly name: 'collections' | 'groups';
  readonly selections: readonly Selection[];
  readonly about: readonly object[];
}

/** @throws {Unavailable} */
export async function total(asked: Asked): Promise<object> {
  const parts = partsOf(asked);
  const { days, warnings } = await costsOf(asked, parts);
  const of = parts?.about.map((_, i) => addUp(days.flatMap((day) => day.parts[i] ?? []))) ?? [];
  const costs = { whole: addUp(days.map((day) => day.whole)), parts: of };
  return aboutSubject(asked, warnings, dataOf(costs, parts));
}

/** An entry a day, the oldest first. @throws {Unavailable} */
export async function timeseries(asked: Asked): Promise<object> {
  const parts = partsOf(asked);
  const { days, warnings } = await costsOf(asked, parts);
  const series = days.map((costs, i) => {
    const window = asked.times.days.at(-1 - i);
    if (window === undefined) throw new Error('BUG: more costs than days');
    return { window: windowOf(window), ...dataOf(costs, parts) };
  });
  return aboutSubject(asked, warnings, { timeseries: series });
}

/** @returns null where only the whole is asked for */
function partsOf({ params, subject }: Asked): Parts | null {
  if (subject.kind === 'collection') {
    const { groups, collection } = subject.known;
    if (!params.flag('groups', false)) return null;
    return { name: 'groups', selections: groups, about: collection.groups };
  }
  if (!params.flag('collections', false)) return null;
  const { members } = subject;
  const selections = members.map(({ groups }) => union(groups));
  return { name: 'collections', selections, about: members.map(idAndName) };
}

function costsOf(
  { registry, sources, subject, times }: Asked,
  parts: Parts | null,
): Promise<Report<Costs>> {
  const whole = selectionOf(subject);
  return new Reports(sources).costs(times, registry.idle, whole, parts?.selections ?? []);
}

function dataOf({ whole, parts: costs }: Costs, parts: Parts | null): object {
  if (parts === null) return { cost: costObject(whole) };
  const each = costs.map((cost, i) => ({ ...parts.about[i], cost: costObject(cost) }));
  return { cost: costObject(whole), overlap: overlapOf(whole, costs), [parts.name]: each };
}

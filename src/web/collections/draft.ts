/** A collection that is being written: its lines, the body that makes them, what it changes. */
import { allOf } from '../costs/fields.ts';

export type Domain = 'kubernetes' | 'cloud';

interface Selectors {
  readonly kubernetes?: { readonly kind?: string; readonly filterString: string };
  readonly cloud?: { readonly filterString: string };
}

/** As the API has it. */
export interface Collection {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly groups: readonly { readonly selectors: Selectors }[];
}

/** One filter. */
export interface Line {
  /** Lines of one group were sent as one, and are so sent back. */
  readonly group: number;
  readonly domain: Domain;
  readonly filter: string;
}

export interface Draft {
  readonly name: string;
  readonly category: string;
  readonly lines: readonly Line[];
}

const DOMAINS = ['kubernetes', 'cloud'] as const;

/** @param collection undefined: a new one, with one line to begin with */
export function draftOf(collection: Collection | undefined, category: string = ''): Draft {
  if (collection === undefined) {
    return { name: '', category, lines: [{ group: 0, domain: 'kubernetes', filter: '' }] };
  }
  const lines = collection.groups.flatMap(({ selectors }, group) =>
    DOMAINS.flatMap((domain): Line[] => {
      const filter = selectors[domain]?.filterString;
      return filter === undefined ? [] : [{ group, domain, filter }];
    }),
  );
  return { name: collection.name, category: collection.category, lines };
}

/** The body that makes a draft. */
export function bodyOf({ name, category, lines }: Draft): Omit<Collection, 'id'> {
  const groups = groupsOf(lines).map((group) => {
    const filterOf = (domain: Domain): string | undefined =>
      lines.find((line) => line.group === group && line.domain === domain)?.filter.trim();
    const [workloads, charges] = [filterOf('kubernetes'), filterOf('cloud')];
    return {
      selectors: {
        ...(workloads === undefined
          ? {}
          : { kubernetes: { kind: 'container', filterString: workloads } }),
        ...(charges === undefined ? {} : { cloud: { filterString: charges } }),
      },
    };
  });
  return { name: name.trim(), category: category.trim(), groups };
}

function groupsOf(lines: readonly Line[]): number[] {
  return [...new Set(lines.map(({ group }) => group))];
}

function freeGroup(lines: readonly Line[]): number {
  return lines.reduce((most, { group }) => Math.max(most, group), -1) + 1;
}

export function withLine(draft: Draft): Draft {
  const line = { group: freeGroup(draft.lines), domain: 'kubernetes', filter: '' } as const;
  return { ...draft, lines: [...draft.lines, line] };
}

export function withoutLine(draft: Draft, at: number): Draft {
  return { ...draft, lines: draft.lines.filter((_, place) => place !== at) };
}

export function withFilter(draft: Draft, at: number, filter: string): Draft {
  const lines = draft.lines.map((line, place) => (place === at ? { ...line, filter } : line));
  return { ...draft, lines };
}

/** A filter of one domain means nothing in the other. */
export function withDomain(draft: Draft, at: number, domain: Domain): Draft {
  const group = freeGroup(draft.lines);
  const lines = draft.lines.map((line, place) =>
    place === at ? { group, domain, filter: '' } : line,
  );
  return { ...draft, lines };
}

/** The line that a parameter of the API names, such as `groups[1].selectors.cloud.filterString`. */
export function lineOf({ lines }: Draft, parameter: string): number | undefined {
  const [, place = '', domain] = /^groups\[(\d+)\]\.selectors\.(\w+)/.exec(parameter) ?? [];
  const group = groupsOf(lines)[Number(place)];
  const at = lines.findIndex((line) => line.group === group && line.domain === domain);
  return at < 0 ? undefined : at;
}

/** What the API says of a line, without the place that the line already is. */
export function saidOfLine(text: string): string {
  return text
    .replace(/^parameter '[^']*': /, '')
    .replaceAll(/groups\[\d+\]\.selectors\.\w+\.filterString=/g, '');
}

/** What saving would change, in words. */
export function changesOf(before: Draft, after: Draft): string[] {
  const [was, is] = [bodyOf(before), bodyOf(after)];
  const wordsOf = ({ domain, filter }: Line): string => `${domain} ${filter.trim()}`;
  const [old, now] = [before.lines.map(wordsOf), after.lines.map(wordsOf)];
  const added = beyond(now, old);
  const gone = beyond(old, now);
  const changed = Math.min(added, gone);
  const shown = (text: string): string => (text === '' ? 'none' : text);
  return [
    ...(was.name === is.name ? [] : [`the name, from ${shown(was.name)} to ${shown(is.name)}`]),
    ...(was.category === is.category
      ? []
      : [`the category, from ${shown(was.category)} to ${shown(is.category)}`]),
    ...counted(changed, 'changed'),
    ...counted(added - changed, 'added'),
    ...counted(gone - changed, 'removed'),
  ];
}

/** How many texts the first has beyond the second. */
function beyond(texts: readonly string[], others: readonly string[]): number {
  const left = [...others];
  return texts.filter((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  }).length;
}

function counted(count: number, what: string): string[] {
  if (count === 0) return [];
  return [`${count} ${count === 1 ? 'filter' : 'filters'} ${what}`];
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** The workloads of a collection as one filter, '' for all; undefined: it has none. */
export function workloadsOf({ groups }: Pick<Collection, 'groups'>): string | undefined {
  const filters = groups.flatMap(({ selectors }) => selectors.kubernetes?.filterString ?? []);
  if (filters.length === 0) return undefined;
  if (filters.some((filter) => filter.trim() === '')) return '';
  return filters.length === 1 ? allOf(filters) : filters.map((filter) => `(${filter})`).join('|');
}

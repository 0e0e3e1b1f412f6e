/** The view is its URL: what the page shows, as a query string and back, by one table. */

/** One step down: the rows of one value of a field. */
export interface Crumb {
  readonly field: string;
  readonly value: string;
}

/** What the page shows. */
export interface PageState {
  readonly view: string;
  /** As the API reads windows: `7d`, `month`, a pair of times. */
  readonly window: string;
  /** What rows are grouped by: one field, or two that fold. */
  readonly by: readonly string[];
  /** What was clicked on the way down, outermost first. */
  readonly path: readonly Crumb[];
  /** In the language of filters. */
  readonly filter: string;
  /** `before`: as many days before; `none`; else a window. */
  readonly against: string;
  readonly idle: string;
  /** Namespaces whose costs the others bear. */
  readonly share: readonly string[];
  readonly split: string;
  readonly tenancy: boolean;
  readonly external: boolean;
  /** Costs as the bill has them, else at list price. */
  readonly bill: boolean;
  /** Bars over time, or tiles of the whole. */
  readonly chart: string;
  /** The length of a bar. */
  readonly per: string;
  /** `stored`, or the resolution at which samples are read now. */
  readonly from: string;
  readonly sort: string;
  readonly rising: boolean;
  /** The row whose number is open. */
  readonly open: string;
  /** Rows whose name has it are shown. */
  readonly find: string;
  /** What a view of its own keeps. */
  readonly more: string;
}

/** How a value of the state is written. */
interface Form<T> {
  /** Undefined: the text says nothing that is known. */
  readonly read: (text: string) => T | undefined;
  readonly write: (value: T) => string;
}

interface Field<T> extends Form<T> {
  readonly preset: T;
}

const TEXT: Form<string> = { read: (text) => text, write: (value) => value };
const FLAG: Form<boolean> = {
  read: (text) => (text === 'yes' ? true : text === 'no' ? false : undefined),
  write: (value) => (value ? 'yes' : 'no'),
};
/** Items with commas; a comma within an item is escaped. */
const LIST: Form<readonly string[]> = {
  read: (text) => (text === '' ? [] : text.split(',').map(unescaped)),
  write: (items) => items.map(escaped).join(','),
};
const PATH: Form<readonly Crumb[]> = {
  read(text) {
    const crumbs = LIST.read(text) ?? [];
    const read = crumbs.map((crumb) => /^([^:]+):([^]*)$/.exec(crumb));
    return read.flatMap((parts) => {
      const [, field = '', value = ''] = parts ?? [];
      return parts === null ? [] : [{ field, value }];
    });
  },
  write: (crumbs) => LIST.write(crumbs.map(({ field, value }) => `${field}:${value}`)),
};

function escaped(item: string): string {
  return item.replaceAll('!', '!0').replaceAll(',', '!1');
}

function unescaped(item: string): string {
  return item.replaceAll('!1', ',').replaceAll('!0', '!');
}

/** @param words the first is the preset */
function oneOf(...words: readonly [string, ...string[]]): Field<string> {
  const read = (text: string): string | undefined => words.find((word) => word === text);
  return { read, write: (value) => value, preset: words[0] };
}

type Fields = { readonly [Name in keyof PageState]: Field<PageState[Name]> };

export const IDLE_WORDS = ['apart', 'stacked', 'shared', 'hidden'] as const;
const CHART_WORDS = ['bars', 'tiles'] as const;
export const PER_WORDS = ['day', 'hour', 'week', 'month', 'quarter'] as const;
export const SPLIT_WORDS = ['weighted', 'even'] as const;

/** Names of the query are those of the state; what is preset is not written. */
export const FIELDS: Fields = {
  view: { ...TEXT, preset: 'overview' },
  window: { ...TEXT, preset: '7d' },
  by: { ...LIST, preset: ['namespace'] },
  path: { ...PATH, preset: [] },
  filter: { ...TEXT, preset: '' },
  against: { ...TEXT, preset: 'before' },
  idle: oneOf(...IDLE_WORDS),
  share: { ...LIST, preset: [] },
  split: oneOf(...SPLIT_WORDS),
  tenancy: { ...FLAG, preset: true },
  external: { ...FLAG, preset: false },
  bill: { ...FLAG, preset: true },
  chart: oneOf(...CHART_WORDS),
  per: oneOf(...PER_WORDS),
  from: { ...TEXT, preset: 'stored' },
  sort: { ...TEXT, preset: 'total' },
  rising: { ...FLAG, preset: false },
  open: { ...TEXT, preset: '' },
  find: { ...TEXT, preset: '' },
  more: { ...TEXT, preset: '' },
};

const NAMES = Object.keys(FIELDS) as (keyof PageState)[];

/** @param query with or without `?`; what it does not say, or says wrong, is preset */
export function readState(query: string): PageState {
  const given = new URLSearchParams(query);
  const entries = NAMES.map((name) => [
    name,
    readField(FIELDS[name] as Field<unknown>, given.get(name)),
  ]);
  return Object.fromEntries(entries) as PageState;
}

function readField<T>({ read, preset }: Field<T>, text: string | null): T {
  return text === null ? preset : (read(text) ?? preset);
}

/** The query of a state, with `?`, in the order of the table. */
export function writeState(state: PageState): string {
  const query = new URLSearchParams();
  for (const name of NAMES) writeField(query, name, state);
  // Signs that mean nothing in a query stay as people read them.
  const text = query.toString().replace(/%(3A|2C|21|2F|7E|28|29)/g, decodeURIComponent);
  return text === '' ? '?' : `?${text}`;
}

function writeField(query: URLSearchParams, name: keyof PageState, state: PageState): void {
  const { write, preset } = FIELDS[name] as Field<unknown>;
  const text = write(state[name]);
  if (text !== write(preset)) query.set(name, text);
}

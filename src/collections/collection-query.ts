/** A query of collections, and the fields that all answers to it have. */
import { timestamp } from '../export/index.ts';
import { caveatFields, type QueryParams } from '../http/index.ts';
import { discreet, type Filter, type WarningLike, type Window } from '../query/index.ts';
import type { Idle } from './idle.ts';
import type { Subject } from './query-params.ts';
import type { Sources } from './reports.ts';
import type { StoredCollection } from './state.ts';
import type { Times } from './sources.ts';

export interface CollectionQuery {
  readonly sources: Sources;
  readonly params: QueryParams;
  readonly subject: Subject;
  /** Kubernetes rows that the caller may see; null: all, and charges of bills too. */
  readonly scope: Filter | null;
  /** How collections are charged for idle. */
  readonly idle: Idle;
  readonly times: Times;
}

/** Bodies have no envelope; `warnings` and `partial` are left out where they do not apply. */
export function windowed(
  { params, times }: CollectionQuery,
  warnings: readonly WarningLike[],
  data: object,
): object {
  const [newest] = times.days;
  const oldest = times.days.at(-1);
  const window = windowOf({ startMs: oldest?.startMs ?? 0, endMs: newest?.endMs ?? 0 });
  const { isPartial } = times.caveats;
  const shown = [...new Set([...params.ignored(), ...warnings, ...times.caveats.warnings])];
  const caveats = params.isScoped
    ? discreet({ isPartial }, params.ignored())
    : { warnings: shown, isPartial };
  return { window, ...caveatFields(caveats), data };
}

/** Adds the name of the collection, or of the category and its collections. */
export function aboutSubject(
  query: CollectionQuery,
  warnings: readonly WarningLike[],
  data: object,
): object {
  const { subject } = query;
  const body = windowed(query, warnings, data);
  if (subject.kind === 'collection') {
    const { category } = subject.known.collection;
    return { ...idAndName(subject.known), category, ...body };
  }
  const { category, collections: members } = subject;
  return { category, collections: members.map(idAndName), ...body };
}

/** A draft has no id yet. */
export function idAndName({ collection: { id, name } }: StoredCollection): object {
  return id === '' ? { name } : { id, name };
}

export function windowOf({ startMs, endMs }: Window): object {
  return { start: timestamp(startMs), end: timestamp(endMs) };
}

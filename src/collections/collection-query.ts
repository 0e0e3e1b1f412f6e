/** A query of collections, and the fields that all answers to it have. */
import { timestamp } from '../export/index.ts';
import { caveatFields, type QueryParams } from '../http/index.ts';
import type { Window } from '../query/index.ts';
import type { Subject } from './query-params.ts';
import type { Registry } from './registry.ts';
import type { Sources } from './reports.ts';
import type { StoredCollection } from './state.ts';
import type { Times } from './sources.ts';

export interface CollectionQuery {
  readonly registry: Registry;
  readonly sources: Sources;
  readonly params: QueryParams;
  readonly subject: Subject;
  readonly times: Times;
}

/** Bodies have no envelope; `warnings` and `partial` are left out where they do not apply. */
export function windowed(
  { params, times }: CollectionQuery,
  warnings: readonly string[],
  data: object,
): object {
  const [newest] = times.days;
  const oldest = times.days.at(-1);
  const window = windowOf({ startMs: oldest?.startMs ?? 0, endMs: newest?.endMs ?? 0 });
  const shown = [...new Set([...params.ignored(), ...warnings, ...times.caveats.warnings])];
  return {
    window,
    ...caveatFields({ warnings: shown, isPartial: times.caveats.isPartial }),
    data,
  };
}

/** Adds the name of the collection, or of the category and its collections. */
export function aboutSubject(
  query: CollectionQuery,
  warnings: readonly string[],
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

export function idAndName({ collection: { id, name } }: StoredCollection): object {
  return { id, name };
}

export function windowOf({ startMs, endMs }: Window): object {
  return { start: timestamp(startMs), end: timestamp(endMs) };
}

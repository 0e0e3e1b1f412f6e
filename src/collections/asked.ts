/** A question about collections, and what stands around every answer to it. */
import { timestamp } from '../export/index.ts';
import type { QueryParams } from '../http/index.ts';
import type { Window } from '../query/index.ts';
import type { Subject } from './query-params.ts';
import type { Registry } from './registry.ts';
import type { Sources } from './reports.ts';
import type { Known } from './state.ts';
import type { Times } from './sources.ts';

export interface Asked {
  readonly registry: Registry;
  readonly sources: Sources;
  readonly params: QueryParams;
  readonly subject: Subject;
  readonly times: Times;
}

/** Bodies have no envelope; `warnings` and `partial` are there only when there is something to tell. */
export function windowed({ times }: Asked, warnings: readonly string[], data: object): object {
  const [newest] = times.days;
  const oldest = times.days.at(-1);
  const window = windowOf({ startMs: oldest?.startMs ?? 0, endMs: newest?.endMs ?? 0 });
  const told = [...new Set([...warnings, ...times.lacking])];
  return {
    window,
    ...(told.length > 0 ? { warnings: told } : {}),
    ...(isPartial(times) ? { partial: true } : {}),
    data,
  };
}

/** A part of the days is not known. */
export function isPartial({ lacking }: Times): boolean {
  return lacking.size > 0;
}

/** Names the collection, or the category and its collections. */
export function aboutSubject(asked: Asked, warnings: readonly string[], data: object): object {
  const { subject } = asked;
  const body = windowed(asked, warnings, data);
  if (subject.kind === 'collection') {
    const { category } = subject.known.collection;
    return { ...idAndName(subject.known), category, ...body };
  }
  const { category, members } = subject;
  return { category, collections: members.map(idAndName), ...body };
}

export function idAndName({ collection: { id, name } }: Known): object {
  return { id, name };
}

export function windowOf({ startMs, endMs }: Window): object {
  return { start: timestamp(startMs), end: timestamp(endMs) };
}

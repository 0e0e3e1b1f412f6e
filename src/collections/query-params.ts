/** Reads the parameters of queries of collections. */
import { readAllocationFilter, readDays } from '../allocation/index.ts';
import type { QueryParams } from '../http/index.ts';
import { Fault, FoundCaveats, type Clock, type Filter } from '../query/index.ts';
import type { Registry } from './registry.ts';
import type { SPELLINGS } from './routes.ts';
import type { StoredCollection } from './state.ts';
import { union, type Selection } from './selection.ts';
import type { RowsQuery, Times } from './sources.ts';

/** The subject of a query: one collection, or all collections of a category. */
export type Subject =
  | { readonly kind: 'collection'; readonly known: StoredCollection }
  | {
      readonly kind: 'category';
      readonly category: string;
      readonly collections: readonly StoredCollection[];
    };

/**
 * Reads `id` or `category`.
 * @param spelling of the path; it decides which parameter an error calls missing
 * @throws {Fault} 400 without either or with both, 404 for an unknown one
 */
export function readSubject(
  params: QueryParams,
  registry: Registry,
  spelling: (typeof SPELLINGS)[number],
): Subject {
  const [id, category] = [params.text('id'), params.text('category')];
  if (id !== undefined && category !== undefined) throw both();
  if (id !== undefined) return { kind: 'collection', known: registry.get(id) };
  if (category !== undefined) {
    return { kind: 'category', category, collections: registry.ofCategory(category) };
  }
  const isPlural = spelling === '/collections';
  throw new Fault(`parameter '${isPlural ? 'category' : 'id'}' is missing: ${SUBJECTS}`, {
    parameter: isPlural ? 'category' : 'id',
    hint: 'for example category=Team',
  });
}

const SUBJECTS = 'category names all collections of a category, id one collection';

function both(): Fault {
  return new Fault("parameters 'id' and 'category' came both, one of them is accepted", {
    parameter: 'id',
    hint: SUBJECTS,
  });
}

export function selectionOf(subject: Subject): Selection {
  const known = subject.kind === 'collection' ? [subject.known] : subject.collections;
  return union(known.flatMap(({ groups }) => groups));
}

/** The Kubernetes rows that the caller may see; null: all. */
export function readScope(params: QueryParams): Filter | null {
  return params.scoped(null, readAllocationFilter);
}

/** @throws {Fault} 403 for charges of the cloud's bill, which the caller's filter cannot tell apart */
export function refuseBilled(scope: Filter | null, subject: Subject): void {
  if (scope === null || selectionOf(subject).cloud.length === 0) return;
  throw new Fault('it selects charges of the cloud’s bill: your filter cannot tell those apart', {
    status: 403,
    parameter: 'filter',
    hint: 'leave out the selectors of the bill, or ask with a token that sees all rows',
  });
}

/** Whole days. @throws {Fault} naming the window */
export function readTimes(
  params: QueryParams,
  { calendar, nowMs }: Clock,
  signal: AbortSignal,
): Times {
  const now = nowMs();
  const days = readDays(params, calendar, now);
  const caveats = new FoundCaveats();
  return { days, nowMs: now, signal, caveats, shareTenancyCosts: params.seesIdle };
}

/** @returns the keys by which costs are itemized; '' for none */
export function readAggregate(params: QueryParams): string {
  const text = params.text('aggregate') ?? '';
  const items = text.split(',').map((item) => item.trim());
  const aggregate = items.filter((item) => item !== '').join(',');
  return aggregate.toLowerCase() === 'none' ? '' : aggregate;
}

/** As in the allocation query. */
export function readIdleOptions(
  params: QueryParams,
): Required<Pick<RowsQuery, 'idleNames' | 'idleByNode'>> {
  const [isSplit, idleByNode] = [params.flag('splitIdle', false), params.flag('idleByNode', false)];
  return { idleByNode, idleNames: !isSplit ? 'one' : idleByNode ? 'node' : 'cluster' };
}

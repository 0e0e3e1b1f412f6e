/** What the API is asked for a state of the page: one base, which all requests of a view share. */
import { pathOf, type Query } from '../path.ts';
import type { PageState } from '../url.ts';
import { allOf, filterOf } from './fields.ts';

/** Whether days are stored, or samples are read now. */
export function isStored({ from }: PageState): boolean {
  return from === 'stored';
}

/** The filter of all that was chosen. */
export function wholeFilter({ path, filter }: PageState): string {
  return allOf([...path.map(filterOf), filter]);
}

/** Parameters that every request of the view has. */
function baseOf(state: PageState): Query {
  const { idle, share, split, tenancy, external, bill, from } = state;
  const stored = isStored(state);
  return {
    filter: wholeFilter(state),
    idle: idle === 'hidden' ? 'false' : 'true',
    shareIdle: idle === 'shared' ? 'true' : undefined,
    shareNamespaces: share.join(','),
    shareSplit: share.length > 0 && split !== 'weighted' ? split : undefined,
    external: external ? 'true' : undefined,
    shareTenancyCosts: stored && !tenancy ? 'false' : undefined,
    reconcile: stored && !bill ? 'false' : undefined,
    resolution: stored ? undefined : from,
  };
}

function windowOf(state: PageState, window: string): Query {
  return { window, exactWindow: isStored(state) ? 'true' : undefined };
}

/** The length of a set of computed answers. */
export function stepOf({ per }: PageState): string {
  return STEPS[per] ?? '1d';
}

const STEPS: Readonly<Record<string, string>> = { hour: '1h', day: '1d', week: '7d', month: '30d' };

/** Costs over time, oldest first: by name, or of all rows together. */
export function seriesPath(
  state: PageState,
  window: string,
  field: string,
  limit?: number,
): string {
  const stored = isStored(state);
  return pathOf(stored ? 'model/allocation/summary' : 'model/allocation/compute/summary', {
    ...windowOf(state, window),
    aggregate: field,
    ...baseOf(state),
    accumulate: stored && state.per !== 'day' ? state.per : undefined,
    step: stored ? undefined : stepOf(state),
    order: 'asc',
    limit,
  });
}

/** Rows of the whole window as CSV. */
export function rowsPath(state: PageState, window: string): string {
  return pathOf(isStored(state) ? 'model/allocation' : 'model/allocation/compute', {
    ...windowOf(state, window),
    aggregate: state.by.join(','),
    ...baseOf(state),
    accumulate: 'true',
    format: 'csv',
  });
}

/** All that is known of rows of the whole window, such as hours and prices. */
export function detailPath(
  state: PageState,
  window: string,
  by: readonly string[],
  more: Query = {},
): string {
  return pathOf(isStored(state) ? 'model/allocation' : 'model/allocation/compute', {
    ...windowOf(state, window),
    aggregate: by.join(','),
    ...baseOf(state),
    accumulate: 'true',
    ...more,
  });
}

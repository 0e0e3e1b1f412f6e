/** What the API is asked for the view of assets: one base, which all its requests share. */
import { allOf, filterOf, quoted } from '../costs/fields.ts';
import { pathOf, type Query } from '../path.ts';
import type { PageState } from '../url.ts';
import type { Asset } from './asset.ts';

/** Those of most cost; a filter finds others. */
export const LISTED_MOST = 1000;

/** @param where a filter of assets, beside the cluster that is chosen */
export function assetFilter({ path }: Pick<PageState, 'path'>, where: string): string {
  return allOf([...path.filter(({ field }) => field === 'cluster').map(filterOf), where]);
}

type Asked = Pick<PageState, 'path' | 'window' | 'bill'>;

function base(state: Asked, filter: string): Query {
  return {
    window: state.window,
    exactWindow: 'true',
    filter,
    disableAdjustments: state.bill ? undefined : 'true',
  };
}

/** The sum of each type. */
export function sumsPath(state: Asked, where: string): string {
  const filter = assetFilter(state, where);
  return pathOf('model/assets', { ...base(state, filter), aggregate: 'type', accumulate: 'true' });
}

/** What each type costs, set by set, the oldest first. */
export function graphPath(state: Asked, where: string): string {
  const filter = assetFilter(state, where);
  return pathOf('model/assets/graph', { ...base(state, filter), aggregate: 'type' });
}

/** Assets of some types, each by itself, or grouped. */
export function listPath(state: Asked, where: string, types: string, aggregate?: string): string {
  return pathOf('model/assets', {
    ...base(state, assetFilter(state, where)),
    filterTypes: types,
    aggregate,
    accumulate: 'true',
    sortBy: 'totalCost',
    limit: LISTED_MOST,
  });
}

/** One row of all that a filter means, which is of one type. */
export function onePath(state: Asked, filter: string): string {
  return pathOf('model/assets', { ...base(state, filter), aggregate: 'type', accumulate: 'true' });
}

/** What workloads are charged of each node, without its idle. @param node alone */
export function allocatedPath(state: Asked, node?: Asset): string {
  const { name = '', cluster = '' } = node?.properties ?? {};
  const one = [`cluster:${quoted(cluster)}`, `node:${quoted(name)}`];
  return pathOf('model/allocation/summary', {
    window: state.window,
    exactWindow: 'true',
    aggregate: 'cluster,node',
    filter: node === undefined ? assetFilter(state, '') : allOf(one),
    idle: 'false',
    shareTenancyCosts: 'false',
    reconcile: state.bill ? undefined : 'false',
    accumulate: 'true',
  });
}

/** Pods of a claim's namespace, each with the volumes that it mounts. */
export function mountsPath(state: Asked, disk: Asset): string {
  const { cluster = '' } = disk.properties;
  const own = [`cluster:${quoted(cluster)}`, `namespace:${quoted(disk.claimNamespace ?? '')}`];
  return pathOf('model/allocation', {
    window: state.window,
    exactWindow: 'true',
    aggregate: 'pod',
    filter: allOf(own),
    idle: 'false',
    shareTenancyCosts: 'false',
    reconcile: state.bill ? undefined : 'false',
    accumulate: 'true',
  });
}

/** What the API is asked for cloud and external costs. */
import { allOf, quoted } from '../costs/fields.ts';
import { pathOf, type Query } from '../path.ts';
import type { PageState } from '../url.ts';
import type { Metric } from './cloud-costs.ts';

/** Rows of the table, and groups of a set, of most cost. */
export const LISTED_MOST = 1000;
const GROUPS_A_SET = 100;

type Asked = Pick<PageState, 'window' | 'per'>;

export interface CloudQuestion {
  readonly group: string;
  readonly metric: Metric;
  readonly filter: string;
}

function base({ window }: Asked): Query {
  return { window, exactWindow: 'true' };
}

/** Sets are days, or longer. */
function unit({ per }: Asked): string | undefined {
  return per === 'day' || per === 'hour' ? undefined : per;
}

/** All charges, set by set: few groups, which add up to the totals. */
export function totalsPath(state: Asked, { filter }: CloudQuestion): string {
  const query = { ...base(state), aggregate: 'provider', accumulate: unit(state), filter };
  return pathOf('model/cloudCost', query);
}

/** The largest groups, set by set. */
export function groupsPath(state: Asked, { group, metric, filter }: CloudQuestion): string {
  return pathOf('model/cloudCost', {
    ...base(state),
    aggregate: group,
    accumulate: unit(state),
    filter,
    costMetric: metric,
    sortBy: 'cost',
    limit: GROUPS_A_SET,
  });
}

/** Groups of the whole window. */
export function rowsPath(state: Asked, { group, metric, filter }: CloudQuestion): string {
  return pathOf('model/cloudCost', {
    ...base(state),
    aggregate: group,
    accumulate: 'true',
    filter,
    costMetric: metric,
    sortBy: 'cost',
    limit: LISTED_MOST,
  });
}

/** One group of the whole window. */
export function onePath(state: Asked, question: CloudQuestion, name: string): string {
  const filter = belowFilter(question, name);
  return pathOf('model/cloudCost', {
    ...base(state),
    aggregate: question.group,
    accumulate: 'true',
    filter,
  });
}

/** What a group is made of is grouped by; resources are not made of anything. */
const BELOW: Readonly<Record<string, string>> = {
  provider: 'service',
  accountID: 'service',
  accountName: 'service',
  invoiceEntityID: 'accountID',
  regionID: 'service',
  category: 'service',
  service: 'providerID',
};

export function groupBelow(group: string): string | undefined {
  return Object.hasOwn(BELOW, group) ? BELOW[group] : undefined;
}

/** The charges of one group. */
export function belowFilter({ group, filter }: CloudQuestion, name: string): string {
  const value = name === '__unallocated__' ? '' : name;
  return allOf([filter, `${group}:${quoted(value)}`]);
}

/** What assets of clusters cost at list price and by the bill. */
export function assetsPath(state: Asked): string {
  return pathOf('model/assets/totals', base(state));
}

/** A level below groups of external costs. */
const BELOW_EXTERNAL: Readonly<Record<string, string>> = {
  domain: 'resourceName',
  accountName: 'domain',
  costSource: 'domain',
  zone: 'domain',
  resourceType: 'resourceName',
};

export function externalBelow(group: string): string | undefined {
  return Object.hasOwn(BELOW_EXTERNAL, group) ? BELOW_EXTERNAL[group] : undefined;
}

/** The external charges of one group. */
export function belowExternal({ group, filter }: ExternalQuestion, name: string): string {
  const value = name === '__unallocated__' ? '' : name;
  return allOf([filter, `${group}:${quoted(value)}`]);
}

export interface ExternalQuestion {
  readonly group: string;
  readonly filter: string;
}

export function externalSeriesPath(state: Asked, { group, filter }: ExternalQuestion): string {
  return pathOf('model/customCost/timeseries', {
    ...base(state),
    aggregate: group,
    accumulate: unit(state),
    filter,
    limit: GROUPS_A_SET,
  });
}

export function externalRowsPath(state: Asked, { group, filter }: ExternalQuestion): string {
  return pathOf('model/customCost/total', {
    ...base(state),
    aggregate: group,
    filter,
    limit: LISTED_MOST,
  });
}

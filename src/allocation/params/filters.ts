/** Parameters that select the rows of a query, and the costs that its rows share. */
import {
  readFilterParams,
  readRowFilter,
  type FilterParameters,
  type QueryParams,
  type ReadFilter,
} from '../../http/index.ts';
import {
  anyOf,
  controllersFilter,
  listFilter,
  pairsFilter,
  parseFilter,
  type Filter,
  type FilterGrammar,
} from '../../query/index.ts';
import { ALLOCATION_FIELDS } from '../row/filter-fields.ts';

const list =
  (field: string): ReadFilter =>
  (text) =>
    listFilter(text, field);

const pairs =
  (field: string): ReadFilter =>
  (text, parameter) =>
    pairsFilter(text, parameter, field);

const controllers: ReadFilter = (text, parameter) =>
  controllersFilter(text, parameter, { kind: 'controllerKind', name: 'controllerName' });

/** The grammar of filters of allocations. */
export const ALLOCATION_FILTER: Omit<FilterGrammar, 'parameter'> = {
  fields: ALLOCATION_FIELDS,
  example: 'namespace:"web"+label[app]:"shop"',
};

/**
 * A filter of allocations.
 * @returns null for a blank text: everything
 * @throws {Fault} naming the parameter, the character, what stands there and what is accepted
 */
export function readAllocationFilter(text: string, parameter: string): Filter | null {
  return parseFilter(text, { parameter, ...ALLOCATION_FILTER });
}

/** Rows have to meet each of them. */
const FILTERS: FilterParameters = [
  ['filter', readAllocationFilter],
  ['filterClusters', list('cluster')],
  ['filterNodes', list('node')],
  ['filterNamespaces', list('namespace')],
  ['filterControllerKinds', list('controllerKind')],
  ['filterControllers', controllers],
  ['filterPods', list('pod')],
  ['filterContainers', list('container')],
  ['filterServices', list('services')],
  ['filterLabels', pairs('label')],
  ['filterAnnotations', pairs('annotation')],
  ['filterDepartments', list('department')],
  ['filterEnvironments', list('environment')],
  ['filterOwners', list('owner')],
  ['filterProducts', list('product')],
  ['filterTeams', list('team')],
];

/** Parameters that `readFilters` reads. */
export const FILTER_NAMES: readonly string[] = FILTERS.map(([parameter]) => parameter);

/** Why who sees some rows alone may not choose what is shared. */
export const SHARED = 'what is shared among all rows tells what others cost';

/** Costs of rows that meet any of them are shared. */
const SHARES: FilterParameters = [
  ['shareNamespaces', list('namespace')],
  ['shareLabels', pairs('label')],
];

/**
 * The rows that a query selects.
 * @returns null: all
 * @throws {Fault} naming the parameter, what is wrong in it and what is accepted
 */
export function readFilters(params: QueryParams): Filter | null {
  return readRowFilter(params, FILTERS);
}

/**
 * The rows whose costs are shared among the others.
 * @returns null: none
 * @throws {Fault} naming the parameter, what is wrong in it and what is accepted
 */
export function readShares(params: QueryParams): Filter | null {
  for (const [name] of SHARES) params.refuseScoped(name, SHARED);
  return readFilterParams(params, SHARES, anyOf);
}

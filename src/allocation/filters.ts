/** Parameters that say which rows a query means, and which costs are shared among the others. */
import type { QueryParams } from '../http/index.ts';
import {
  allOf,
  anyOf,
  comparisonsIn,
  controllersFilter,
  Fault,
  listFilter,
  pairsFilter,
  parseFilter,
  type Filter,
} from '../query/index.ts';
import { ALLOCATION_FIELDS } from './filter-fields.ts';

type Read = (text: string, parameter: string) => Filter | null;

/** Comparisons of one parameter; values of one comparison are not counted. */
const MAX_COMPARISONS = 500;

const list =
  (field: string): Read =>
  (text) =>
    listFilter(text, field);

const pairs =
  (field: string): Read =>
  (text, parameter) =>
    pairsFilter(text, parameter, field);

const controllers: Read = (text, parameter) =>
  controllersFilter(text, parameter, { kind: 'controllerKind', name: 'controllerName' });

const expression: Read = (text, parameter) =>
  parseFilter(text, {
    parameter,
    fields: ALLOCATION_FIELDS,
    example: 'namespace:"web"+label[app]:"shop"',
  });

/** Rows have to meet each of them. */
const FILTERS: readonly (readonly [parameter: string, read: Read])[] = [
  ['filter', expression],
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

/** Costs of rows that meet any of them are shared. */
const SHARES: typeof FILTERS = [
  ['shareNamespaces', list('namespace')],
  ['shareLabels', pairs('label')],
];

/**
 * The rows a query means.
 * @returns null: all
 * @throws {Fault} naming the parameter, what is wrong in it and what is accepted
 */
export function readFilters(params: QueryParams): Filter | null {
  const filters = readEach(params, FILTERS);
  return filters.length === 0 ? null : allOf(filters);
}

/**
 * The rows whose costs are shared among the others.
 * @returns null: none
 * @throws {Fault} naming the parameter, what is wrong in it and what is accepted
 */
export function readShares(params: QueryParams): Filter | null {
  const filters = readEach(params, SHARES);
  return filters.length === 0 ? null : anyOf(filters);
}

function readEach(params: QueryParams, table: typeof FILTERS): Filter[] {
  return table.flatMap(([parameter, read]) => {
    const filter = params.parsed(parameter, (text) => read(text, parameter), null);
    if (filter === null) return [];
    const comparisons = comparisonsIn(filter);
    if (comparisons > MAX_COMPARISONS) throw tooMany(parameter, comparisons);
    return [filter];
  });
}

function tooMany(parameter: string, comparisons: number): Fault {
  const message = `${comparisons} comparisons, at most ${MAX_COMPARISONS} are accepted`;
  return new Fault(`parameter '${parameter}': ${message}`, {
    parameter,
    hint: 'give alternatives as one list of values, which may have any length',
  });
}

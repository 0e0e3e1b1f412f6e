/** Cloud costs: charges of clouds, in the terms of the endpoint. */
import {
  foldedField,
  LABEL_FIELD,
  plainField,
  plainMeasure,
  type ChargeField,
  type ChargeKey,
  type ChargeSchema,
} from '../charges/index.ts';
import { KNOWN, knownResource } from './known-resources.ts';
import { kubernetesPart } from './kubernetes-part.ts';

/**
 * Costs by the clients' names, and the column of FOCUS that each is. `netCost` is what is billed, with discounts;
 * amortized costs spread a payment in advance over its time. FOCUS has no amortized cost before
 * discounts.
 */
export const COLUMN_OF = {
  listCost: 'listCost',
  netCost: 'billedCost',
  amortizedNetCost: 'effectiveCost',
  invoicedCost: 'billedCost',
  amortizedCost: 'effectiveCost',
} as const;
export type CostMetric = keyof typeof COLUMN_OF;
export const COST_METRICS = Object.keys(COLUMN_OF) as readonly CostMetric[];

const PROPERTIES = [
  'providerID',
  'provider',
  'accountID',
  'accountName',
  'invoiceEntityID',
  'invoiceEntityName',
  'regionID',
  'availabilityZone',
  'service',
  'category',
] as const;
/** Properties of a cost by name, each the column of that name. */
export const PROPERTY_NAMES: readonly string[] = PROPERTIES;

export const CLOUD_FIELDS: readonly ChargeField[] = [
  // Clouds differ in whether the case of an id counts.
  ...PROPERTIES.map((name) => (name === 'providerID' ? foldedField(name) : plainField(name))),
  LABEL_FIELD,
];

/** The default keys of groups, as in OpenCost. */
export const DEFAULT_KEYS: readonly ChargeKey[] = [
  'invoiceEntityID',
  'accountID',
  'provider',
  'providerID',
  'category',
  'service',
].map((field) => ({ field, label: null }));

/** The columns of a cost that a view shows. */
export interface CloudColumns {
  readonly metrics: readonly CostMetric[];
  /** Columns of texts on which the charges of a cost may agree. */
  readonly texts: readonly string[];
}

/**
 * @param resources of Kubernetes, as `resourceKey` spells them
 */
export function cloudSchema(
  { metrics, texts }: CloudColumns,
  resources: ReadonlySet<string>,
): ChargeSchema {
  const part = kubernetesPart(resources);
  return {
    fields: CLOUD_FIELDS,
    measures: columnsOf(metrics).flatMap((column) => [plainMeasure(column), part(column)]),
    texts,
    numbers: [],
  };
}

/** Costs by known resource, in clusters or not. @param known as `resourceKey` spells them; null: all */
export function resourceSchema(metric: CostMetric, known: readonly string[] | null): ChargeSchema {
  return {
    fields: [...CLOUD_FIELDS, plainField(KNOWN)],
    measures: columnsOf([metric]).map(plainMeasure),
    texts: [KNOWN],
    numbers: [],
    derived: knownResource(known && new Set(known)),
  };
}

/** Groups without amounts, for the values of a field. */
export const VALUES_SCHEMA: ChargeSchema = {
  fields: CLOUD_FIELDS,
  measures: [],
  texts: [],
  numbers: [],
};

function columnsOf(metrics: readonly CostMetric[]): string[] {
  return [...new Set(metrics.map((metric) => COLUMN_OF[metric]))];
}

/** External costs: charges of third parties, in the terms of the endpoints. */
import type { Table } from '../../columnar/index.ts';
import {
  foldedField,
  LABEL_FIELD,
  plainField,
  plainMeasure,
  ZONE,
  type ChargeField,
  type ChargeKey,
  type ChargeSchema,
  type Measure,
} from '../charges/index.ts';

/** Types of the `cost` of an item. Blended is the billed cost, or the list price where nothing was billed. */
export const COST_TYPES = ['blended', 'list', 'billed'] as const;
export type CostType = (typeof COST_TYPES)[number];

/** Dimensions of items, in the order of an item's `aggregate`. */
const DIMENSIONS: readonly ChargeField[] = [
  plainField('zone', ZONE),
  plainField('accountName'),
  foldedField('chargeCategory'),
  plainField('description'),
  plainField('resourceName'),
  plainField('resourceType'),
  { ...plainField('providerId', 'providerID') },
  plainField('usageUnit'),
  foldedField('domain'),
  plainField('costSource'),
];

export const EXTERNAL_FIELDS: readonly ChargeField[] = [...DIMENSIONS, LABEL_FIELD];

/** Keys that name the items of an answer without `aggregate`. */
export const ALL_KEYS: readonly ChargeKey[] = DIMENSIONS.map(({ name }) => ({
  field: name,
  label: null,
}));

const BLENDED: Measure = {
  name: 'blended',
  columns: ['billedCost', 'listCost'],
  values(table: Table) {
    const billed = table.numbers('billedCost')?.values;
    const list = table.numbers('listCost')?.values;
    return Float64Array.from(
      { length: table.rows },
      (_, row) => billed?.[row] || (list?.[row] ?? 0),
    );
  },
};

/** The measure that is the cost. */
export const COST_OF: Readonly<Record<CostType, string>> = {
  blended: BLENDED.name,
  list: 'listCost',
  billed: 'billedCost',
};

export const EXTERNAL_SCHEMA: ChargeSchema = {
  fields: EXTERNAL_FIELDS,
  measures: [...['billedCost', 'listCost', 'usageQuantity'].map(plainMeasure), BLENDED],
  texts: DIMENSIONS.map(({ column }) => column),
  numbers: ['listUnitPrice', 'startMs', 'endMs'],
};

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

/** What `cost` of an item is. Blended is what was billed, or the list price where nothing was. */
export const COST_TYPES = ['blended', 'list', 'billed'] as const;
export type CostType = (typeof COST_TYPES)[number];

/** What items are of, in the order of an item's `aggregate`. */
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

/** By what items are called that are not aggregated. */
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

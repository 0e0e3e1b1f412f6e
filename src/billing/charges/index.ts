export { chargeCaveats, untoldWarning, type ToldCharges } from './charge-caveats.ts';
export { foldedField, LABEL_FIELD, plainField, ZONE, type ChargeField } from './charge-field.ts';
export { ChargeGroups, type GroupsAt } from './charge-groups.ts';
export { gather, type Gathered, type SliceTask } from './gather.ts';
export { readChargeKeys, type ChargeKey } from './charge-keys.ts';
export {
  plainMeasure,
  type ChargeQuery,
  type ChargeSchema,
  type DerivedColumn,
  type Measure,
} from './charge-schema.ts';
export { CHARGE_UNITS, entriesOf, readChargeUnit, readWholeWindow } from './entries.ts';
export { orderGroups, type ItemPage } from './order-groups.ts';
export { chargeReader } from './read-charges.ts';
export { textChunks, type TextChunks } from './text-chunks.ts';
export { writeTexts, type WrittenText } from './written-text.ts';

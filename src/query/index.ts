export { parseAccumulate, type Accumulate } from './accumulate.ts';
export {
  AGGREGATE_NAMES,
  parseAggregate,
  storeName,
  UNALLOCATED,
  type AggregateKey,
  type AggregateName,
  type Property,
} from './aggregate.ts';
export { bodyText, readBoundedJson, readDocuments } from './body.ts';
export { parseBoolean, readBoolean } from './boolean.ts';
export { readBytes } from './bytes.ts';
export { layByCalendar, type CalendarUnit } from './calendar-sets.ts';
export { createCalendar, isZone, type Calendar } from './calendar.ts';
export { formatDuration, HOURS_PER_MONTH, parseDuration, readDuration } from './duration.ts';
export { Fault, refuse, Unavailable } from './fault.ts';
export { asTold } from './overfull.ts';
export { fieldAccepted, readField, type FieldAsked } from './field-asked.ts';
export { formatFilter } from './filter-format.ts';
export { controllersFilter, listFilter, pairsFilter } from './filter-lists.ts';
export { textTest } from './filter-match.ts';
export { parseFilter, type FilterField, type FilterGrammar } from './filter-parse.ts';
export {
  allOf,
  anyOf,
  comparisonsIn,
  complement,
  type Comparison,
  type Filter,
  type Operator,
} from './filter.ts';
export { LAST_INSTANT_MS, readTimestamp, readUnixSeconds } from './instant.ts';
export { LABEL_OF } from './label-properties.ts';
export { labelValues } from './label-values.ts';
export { parseLabels } from './labels.ts';
export { nearest } from './nearest.ts';
export { formatQuantity, readQuantity, type QuantityFormat } from './quantity.ts';
export { repeatedName } from './repeated-name.ts';
export { resourceKey } from './resource-key.ts';
export { hideSecrets, hideUrlSecrets } from './url-secrets.ts';
export { readRows, RowReader } from './rfc4180.ts';
export { compareRows, selectRows, type ColumnOf, type FieldCells } from './select-rows.ts';
export { groupsOf, type SetGroup } from './set-groups.ts';
export { readJson, shapeOf, type Shape } from './shape.ts';
export { layBackward } from './steps.ts';
export { parseWindow, type ParsedWindow, type Window, type WindowClock } from './window.ts';
export { daysOf } from './whole-days.ts';
export { listItems, oneOf, wholeNumber } from './words.ts';
export { parseYamlTexts, YAML_START, type YamlPlace } from './yaml.ts';

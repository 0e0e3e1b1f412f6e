export {
  ACCUMULATE_UNITS,
  parseAccumulate,
  type Accumulate,
  type CalendarUnit,
} from './time/accumulate.ts';
export {
  AGGREGATE_NAMES,
  parseAggregate,
  storeName,
  UNALLOCATED,
  type AggregateKey,
  type AggregateName,
  type Property,
} from './filter/aggregate.ts';
export { bodyText, readBoundedJson, readDocuments } from './text/body.ts';
export { parseBoolean, readBoolean } from './text/boolean.ts';
export { readBytes } from './text/bytes.ts';
export {
  addedWarnings,
  assetsOfWarning,
  billedWarning,
  listedWarnings,
  messageOf,
  storedWarnings,
  uncertainCost,
  warning,
  warningsOfSet,
  type BilledCosts,
  type StoredWarnings,
  type Warning,
  type WarningLike,
} from './warnings.ts';
export { discreet, FoundCaveats, withNotes, type Caveats } from './caveats.ts';
export { layByCalendar } from './time/calendar-sets.ts';
export { createCalendar, isZone, type Calendar } from './time/calendar.ts';
export type { Clock } from './time/clock.ts';
export { formatDuration, HOURS_PER_MONTH, parseDuration, readDuration } from './time/duration.ts';
export { Fault, isPassing, refuse, Unavailable } from './fault.ts';
export { asRequestError } from './overfull.ts';
export { fieldAccepted, readField, type FieldQuery } from './filter/field-query.ts';
export { formatFilter } from './filter/filter-format.ts';
export { controllersFilter, listFilter, pairsFilter } from './filter/filter-lists.ts';
export { textTest } from './filter/filter-match.ts';
export { parseFilter, type FilterField, type FilterGrammar } from './filter/filter-parse.ts';
export {
  allOf,
  anyOf,
  comparisonsIn,
  complement,
  type Comparison,
  type Filter,
  type Operator,
} from './filter/filter.ts';
export { futureWarnings } from './time/future.ts';
export { LAST_INSTANT_MS, readTimestamp, readUnixSeconds } from './time/instant.ts';
export { LABEL_OF } from './filter/label-properties.ts';
export { labelValues, snakeName } from './filter/label-values.ts';
export { parseLabels } from './filter/labels.ts';
export { isLoopback } from './text/loopback.ts';
export { nearest } from './text/nearest.ts';
export { formatQuantity, readQuantity, type QuantityFormat } from './text/quantity.ts';
export { repeatedName } from './text/repeated-name.ts';
export { providerIdTexts, shortProviderId } from './filter/provider-id.ts';
export { balancersBeside, resourceKey, scaleSetOf, sharedKey } from './filter/resource-key.ts';
export {
  askedOn,
  childOf,
  clientOf,
  either,
  readTrace,
  traceHeaders,
  traceOf,
  type Trace,
} from './trace.ts';
export { hideSecrets, hideUrlSecrets } from './url-secrets.ts';
export { readRows, RowReader } from './text/rfc4180.ts';
export {
  compareRows,
  matchesFilter,
  selectRows,
  type ColumnOf,
  type FieldCells,
} from './filter/select-rows.ts';
export { groupsOf, type SetGroup } from './time/set-groups.ts';
export { readJson, shapeOf, type Shape } from './text/shape.ts';
export { forwardEndMs, layBackward, snappedEndMs } from './time/steps.ts';
export {
  overlapMs,
  parseWindow,
  partWithin,
  type ParsedWindow,
  type Spans,
  type Window,
  type WindowClock,
  spanText,
} from './time/window.ts';
export { daysOf } from './time/whole-days.ts';
export { listItems, oneOf, wholeNumber } from './text/words.ts';
export {
  parsePlacedYaml,
  parseYamlTexts,
  YAML_START,
  type PlacedYaml,
  type YamlPlace,
} from './text/yaml.ts';
export { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './time/units.ts';

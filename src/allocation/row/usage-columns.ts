/** Columns of the stored sets of kind `usage`. */

/** The columns that identify a row: a container of a controller. */
export const USAGE_KEYS: readonly string[] = [
  'cluster',
  'namespace',
  'controllerKind',
  'controller',
  'container',
];

/** Sketches, by resource as SAMPLED of columnar/samples.ts; cores and bytes. */
const SKETCHES = [
  'cpuCoreUsage',
  'cpuCoreHourlyAverage',
  'cpuCoreHourlyMax',
  'ramByteUsage',
  'ramByteHourlyAverage',
  'ramByteHourlyMax',
] as const;
export type UsageColumn = (typeof SKETCHES)[number];

export const USAGE_COLUMNS: {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
  readonly bytes: readonly UsageColumn[];
} = {
  texts: USAGE_KEYS,
  /** CPU, then RAM. */
  numbers: ['cpuCoreUsageMax', 'ramByteUsageMax'],
  bytes: SKETCHES,
};

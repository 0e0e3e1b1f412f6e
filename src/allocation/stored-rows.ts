/** Rows of stored sets, for workers of other capabilities. */
export { kindsIn } from './row/row-kinds.ts';
export { select } from './row/select.ts';
export { columnsOfFilter } from './query/stored-columns.ts';
export { USAGE_COLUMNS, USAGE_KEYS, type UsageColumn } from './row/usage-columns.ts';

/** What workers of other capabilities need to know of the rows of stored sets. */
export { kindsIn } from './row-kinds.ts';
export { select } from './select.ts';
export { columnsOfFilter } from './stored-columns.ts';
export { USAGE_COLUMNS, USAGE_KEYS, type UsageColumn } from './usage-columns.ts';

export { ALLOCATION_API, ALLOCATION_FILTERS } from './descriptions.ts';
export { buildSets, type Build, type BuildOptions } from './build/build-sets.ts';
export {
  createBuilder,
  type Backfill,
  type Builder,
  type BuilderOptions,
} from './build/builder.ts';
export { ALLOCATION_FILTER, readAllocationFilter } from './params/filters.ts';
export { importSets, type Imported, type SavedFile } from './import/import-sets.ts';
export { readOpencostCsv } from './import/opencost-csv.ts';
export { PARAMETERS, readPlan } from './params/params.ts';
export { query, type QueryCompute, type QueryEvents } from './compute/query.ts';
export { readGauges, type GaugeOptions, type Gauges } from './compute/gauge-reads.ts';
export type { GaugeSeries } from './compute/gauge-series.ts';
export type { Metrics } from './compute/priced-store.ts';
export { allocationRoutes, type AllocationRouteOptions } from './routes.ts';
export type { AllocationTasks } from './tasks.ts';
export { SCHEMA_VERSION } from './row/schema.ts';
export { computeRates, type Rates, type RatesOptions } from './rates/compute-rates.ts';
export { readSavedAnswers } from './import/saved-answers.ts';
export type { SavedSet } from './import/saved-set.ts';
export { AnswerCache } from './caches/answer-cache.ts';
export { GroupedSets } from './caches/grouped-sets.ts';
export { Room } from './formats/room.ts';
export { storedBounds } from './stored/set-index.ts';
export { holdSets } from './stored/held-sets.ts';
export { HotSets } from './caches/hot-sets.ts';
export {
  readDays,
  readStoredPlan,
  STORED_PARAMETERS,
  type StoredPlan,
} from './params/stored-params.ts';
export { resolve } from './stored/charged-sets.ts';
export { withUnborneShares } from './stored/unborne-shares.ts';
export { resolveSets, type SetCaches, type StoredOptions } from './stored/stored.ts';
export type { CloudBill } from './stored/cloud-bill.ts';
export { CachedCharges } from './stored/cached-charges.ts';
export { storedItems, type ItemsQuery, type StoredItems } from './stored/stored-items.ts';
export { storedAssets } from './stored/stored-assets.ts';
export { storedPools, type StoredPools } from './stored/stored-pools.ts';
export {
  storedCosts,
  type CostsQuery,
  type SetCosts,
  type StoredCosts,
} from './stored/stored-costs.ts';
export { storedAnswer } from './stored/stored-answer.ts';
export { storedRoutes, type StoredRouteOptions } from './stored-routes.ts';
export type { StoredTasks } from './stored/tasks.ts';
export type { CostTotals } from './stored/cost-totals.ts';
export { Slots } from './formats/slots.ts';
export { WrittenSets } from './caches/written-sets.ts';
export { readFilters } from './params/filters.ts';
export { Pace } from './formats/pace.ts';
export { NOTHING_AFTER, rowChunks, type RowCompute } from './formats/row-chunks.ts';
export { ALLOCATION_COLUMNS, ALLOCATIONS, ASSETS } from './sets/set-files.ts';

export { readFilters, readShares } from './filters.ts';
export { PARAMETERS, readPlan } from './params.ts';
export { query, type QueryEvents, type QueryOptions } from './query.ts';
export { allocationRoutes, type AllocationRouteOptions } from './routes.ts';
export type { AllocationTasks } from './tasks.ts';
export { SCHEMA_VERSION } from './schema.ts';
export { select } from './select.ts';

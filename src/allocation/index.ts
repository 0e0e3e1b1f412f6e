export { PARAMETERS, readPlan, type Parameter } from './params.ts';
export type { Plan } from './on-demand.ts';
export { query, type Answer, type QueryEvents, type QueryOptions } from './query.ts';
export { allocationRoutes, type AllocationRouteOptions } from './routes.ts';
export { allocationTasks, type AllocationTasks } from './tasks.ts';
export { SCHEMA_VERSION } from './schema.ts';

export { allocationRoutes, type AllocationRouteOptions } from './routes.ts';
export { allocationTasks, type AllocationTasks } from './tasks.ts';
export { SCHEMA_VERSION } from './schema.ts';

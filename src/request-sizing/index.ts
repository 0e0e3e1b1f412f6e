export { requestSizingRoutes, type SizingRouteOptions } from './routes.ts';
export type { SizingTasks } from './tasks.ts';

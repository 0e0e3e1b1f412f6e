export { clusterSizingRoutes, type SizingRouteOptions } from './routes.ts';
export type { ClusterSizingTasks } from './tasks.ts';

export { CLUSTER_SIZING_API } from './descriptions.ts';
export { readSizingPlan } from './params.ts';
export {
  clusterSizingRoutes,
  savingOf,
  sizedGroups,
  type SizedGroup,
  type SizingRouteOptions,
} from './routes.ts';
export type { ClusterSizingTasks } from './tasks.ts';

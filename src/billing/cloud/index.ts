export { CLOUD_API } from './descriptions.ts';
export { cloudItems, type CloudItemsQuery } from './cloud-costs.ts';
export type { CloudItem } from './items.ts';
export { CLOUD_FILTER, readCloudFilter, readCloudKeys } from './params.ts';
export { cloudRoutes, type CloudOptions, type CloudSets, type KnownAssets } from './routes.ts';
export type { CostMetric } from './schema.ts';
export type { CloudTasks } from './tasks.ts';

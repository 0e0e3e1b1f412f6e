export { ASSET_FILTERS, readAssetFilter } from './params.ts';
export { assetRoutes, type AssetRouteOptions } from './routes.ts';
export type { AssetTasks } from './tasks.ts';

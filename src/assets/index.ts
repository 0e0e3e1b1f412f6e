export { ASSET_API, ASSET_FILTER_PARAMETERS } from './descriptions.ts';
export { ASSET_FILTERS, readAssetFilter } from './params.ts';
export { assetRoutes, type AssetRouteOptions } from './routes.ts';
export type { AssetTasks } from './tasks.ts';
export { ASSET_COLUMNS } from './columns.ts';

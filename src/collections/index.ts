export { readCloudFilter } from './cloud-filter.ts';
export { openKeeper } from './keeper.ts';
export { Registry } from './registry.ts';
export { registryRoutes } from './routes.ts';

export { COLLECTION_API } from './descriptions.ts';
export { cloudCosts } from './cloud-costs.ts';
export { openCollectionStore, type CollectionStore } from './collection-store.ts';
export { kubernetesCosts } from './kubernetes-costs.ts';
export { collectionQueryRoutes } from './query-routes.ts';
export { Registry } from './registry.ts';
export { openSharedCollections } from './shared-collections.ts';
export { registryRoutes, type RegistryRouteOptions } from './routes.ts';
export type { CollectionTasks } from './tasks.ts';

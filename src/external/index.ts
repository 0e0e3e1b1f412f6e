export { pushRoute, type PushOptions } from './push-route.ts';
export { externalRoutes, type ChargeSets, type ExternalOptions } from './routes.ts';
export type { ExternalTasks } from './tasks.ts';

export { INSTALLATION_API } from './descriptions.ts';
export type { Installation } from './config-json.ts';
export { installationRoutes, type InstallationOptions } from './routes.ts';
export type { InstallationTasks } from './tasks.ts';

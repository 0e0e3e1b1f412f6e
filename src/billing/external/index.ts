export { EXTERNAL_API } from './descriptions.ts';
export {
  JOIN_PROPERTIES,
  JOIN_TAGS,
  tagName,
  type JoinProperty,
  type JoinTags,
} from './join-tags.ts';
export type { JoinedCost } from './joined-costs.ts';
export { JoinedDays, type JoinedRows } from './joined-days.ts';
export { readExternalFilter } from './params.ts';
export { pushRoute, type PushOptions } from './push-route.ts';
export { externalRoutes, type ChargeSets, type ExternalOptions } from './routes.ts';
export type { ExternalTasks } from './tasks.ts';

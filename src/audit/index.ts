export type { CostEvent, ResourceType } from './cost-event.ts';
export { CostEvents, EVENTS_MAX } from './cost-events.ts';
export { auditRoutes } from './routes.ts';
export { watchCosts } from './watch-costs.ts';
export { auditedWorkload } from './workload.ts';

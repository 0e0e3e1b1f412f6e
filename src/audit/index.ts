export { AUDIT_API } from './descriptions.ts';
export type { CostEvent, ResourceType } from './cost-event.ts';
export { CostEvents } from './cost-events.ts';
export { EVENTS_MAX, OwnEvents } from './event-list.ts';
export { SharedEvents } from './shared-events.ts';
export { currentPrices } from './current-prices.ts';
export { auditRoutes } from './routes.ts';
export { watchCosts } from './watch-costs.ts';
export { auditedWorkload } from './workload.ts';

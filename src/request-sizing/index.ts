export { Journal } from './journal.ts';
export { readTargets } from './plan-body.ts';
export { readRecommendations } from './plan-input.ts';
export { planRequests, type PlanOptions } from './plan.ts';
export { KeptDemand } from './kept-demand.ts';
export { requestSizingRoutes, type SizingRouteOptions } from './routes.ts';
export { sizerRoutes } from './sizer-routes.ts';
export { Sizer, type Run, type SizerOptions } from './sizer.ts';
export type { SizingTasks } from './tasks.ts';

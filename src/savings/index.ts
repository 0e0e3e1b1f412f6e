export { SAVINGS_API } from './descriptions.ts';
export type { SavingsOptions } from './facts.ts';
export type { SavingsWindow } from './params.ts';
export { savingsRoutes } from './routes.ts';
export type { SavingsTasks } from './tasks.ts';

export { PREDICTION_API } from './descriptions.ts';
export { PREDICTION_PARAMETERS, readPredictionPlan, type PredictionPlan } from './params.ts';
export { monthlyCost, pricesOf, type MonthlyCost, type Prediction } from './predict-workload.ts';
export { predictCosts, pricesInDays, type PredictionOptions } from './stored-predictions.ts';
export { predictionRoutes, type PredictionRouteOptions } from './routes.ts';
export type { PredictionTasks } from './tasks.ts';
export type { Amounts, Workload } from './workload.ts';

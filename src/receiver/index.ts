export { noOutcomes, receiverFamilies, type OutcomeCounts } from './families.ts';
export type { Receiver, ReceiverFigures, WriteOutcome, WriteVersion } from './receiver.ts';
export { receiverRoutes, type ReceiverRouteOptions } from './routes.ts';

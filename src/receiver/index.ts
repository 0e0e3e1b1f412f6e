export { fsckReceiver, type ReceiverChecked } from './fsck-receiver.ts';
export { RECEIVER_API } from './descriptions.ts';
export { noOutcomes, receiverFamilies, type OutcomeCounts } from './families.ts';
export { openReceiver, type OpenReceiver } from './open-receiver.ts';
export type { ReceiverOptions } from './start-thread.ts';
export type { Receiver, ReceiverFigures, WriteOutcome, WriteVersion } from './receiver.ts';
export { receiverRoutes, type ReceiverRouteOptions } from './routes.ts';

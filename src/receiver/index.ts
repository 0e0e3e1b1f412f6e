export type { Receiver, WriteOutcome, WriteVersion } from './receiver.ts';
export { receiverRoutes, type ReceiverRouteOptions } from './routes.ts';

export { kubeletAccess, type AccessOptions } from './access.ts';
export { startAgent, type AgentOptions, type RunningAgent } from './agent.ts';
export { serveHealth } from './health.ts';
export {
  followObjects,
  type FollowObjectsOptions,
  type ObjectFacts,
  type ObjectFigures,
} from './objects/object-facts.ts';
export type { AgentNode } from './objects/node-series.ts';
export { openQueue, type BatchQueue } from './sending/batch-queue.ts';
export { ReceiverClient } from './sending/receiver-client.ts';
export type { LabelBytes, Sample } from './series.ts';

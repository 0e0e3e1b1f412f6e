export {
  followObjects,
  type FollowObjectsOptions,
  type ObjectFacts,
  type ObjectFigures,
} from './objects/object-facts.ts';
export type { AgentNode } from './objects/node-series.ts';
export type { LabelBytes, Sample } from './series.ts';

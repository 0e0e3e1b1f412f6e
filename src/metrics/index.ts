export {
  FACTS,
  LABEL_NAMES,
  RESOURCE_OF_LABEL,
  RUN_LABELS,
  NETWORK_VARIANTS,
  USAGE,
  type FactMetric,
  type FactName,
  type UsageName,
} from './catalogue.ts';
export { createDemo, type DemoOptions } from './demo.ts';
export { createRemoteRead, type RemoteRead, type RemoteReadOptions } from './remote-read.ts';
export type { Batch, Matcher, MetricsSource, Selection, TimeRange } from './source.ts';
export type { StoreIdentity } from './store-identity.ts';

export {
  FACTS,
  factReads,
  LABEL_NAMES,
  USAGE,
  usageReads,
  type FactMetric,
  type FactName,
  type UsageName,
} from './catalogue.ts';
export {
  createCredentials,
  readTls,
  type CredentialOptions,
  type TlsFiles,
} from './credentials.ts';
export { createDemo, type DemoOptions } from './demo.ts';
export { demoWorkloads, type DemoWorkload } from './demo-workloads.ts';
export { BrokenJson, JsonScan, type JsonPlace, type JsonToken } from './json-scan.ts';
export { createKnownLives, type KnownPod } from './known-lives.ts';
export { observed, type ReadEvent } from './observed.ts';
export { openStore, type OpenStore, type OpenStoreOptions, type ReaderName } from './open.ts';
export { createQueryRange, type QueryRange, type QueryRangeOptions } from './query-range.ts';
export { createRemoteRead, type RemoteRead, type RemoteReadOptions } from './remote-read.ts';
export type { Batch, Matcher, MetricsSource, Selection, TimeRange } from './source.ts';
export type { OnWarning, ReadTogether } from './source.ts';
export { StoreFailure } from './store-failure.ts';
export type { StoreIdentity } from './store-identity.ts';
export type { StoreOptions } from './store-options.ts';
export { createVictoriaExport, type VictoriaExport } from './victoria-export.ts';

export {
  CPU_SPLIT,
  FACTS,
  factReads,
  LABEL_NAMES,
  USAGE,
  usageReads,
  usageScale,
  type FactMetric,
  type FactName,
  type UsageName,
} from './catalogue.ts';
export {
  createCredentials,
  readTls,
  type CredentialOptions,
  type TlsFiles,
} from './client/credentials.ts';
export { BrokenJson, JsonScan, type JsonPlace, type JsonToken } from './readers/json-scan.ts';
export { counted, noReads, type ReadCounts } from './counted.ts';
export { createKnownLives, type KnownPod, type KnownUsage } from './known-lives.ts';
export { GAUGES, type GaugeName } from './gauges.ts';
export { newestSampleMs } from './newest-sample.ts';
export { observed, type ReadEvent } from './observed.ts';
export { openStore, type OpenStore, type OpenStoreOptions, type ReaderName } from './open.ts';
export {
  createQueryRange,
  type QueryRange,
  type QueryRangeOptions,
} from './readers/query-range.ts';
export {
  createRemoteRead,
  type RemoteRead,
  type RemoteReadOptions,
} from './readers/remote-read.ts';
export { snappy, unsnappy } from './readers/snappy.ts';
export type { Batch, Matcher, MetricsSource, Selection, TimeRange } from './source.ts';
export { firstFailure } from './first-failure.ts';
export type { OnWarning, ReadTogether, Remaining, Room, Together } from './source.ts';
export { StorePace } from './client/store-pace.ts';
export { StoreFailure } from './client/store-failure.ts';
export type { StoreIdentity } from './client/store-identity.ts';
export { authorizationOf } from './client/store-url.ts';
export type { StoreOptions } from './client/store-options.ts';
export { createVictoriaExport, type VictoriaExport } from './readers/victoria-export.ts';
export { compileMatchers, type Labels } from './matching.ts';
export { encodeLabels, markStale, SamplesWriter, type SamplesBlock } from './samples.ts';

export { AppendLog, readLog } from './logs/append-log.ts';
export type { StreamColumn, StreamValues } from './arrow/arrow.ts';
export { ARROW_END, arrowBatches, arrowPieces } from './arrow/arrow-stream.ts';
export { openArrowFiles, type ArrowFilesOptions } from './folder/arrow-files.ts';
export { BoundedLog } from './logs/bounded-log.ts';
export { DISK, writeWhole, type Disk } from './disk.ts';
export { isDiskFull } from './disk-error.ts';
export { lockFolder, type Lock } from './folder/lock.ts';
export { StoredDocument, type DocumentOptions } from './folder/document.ts';
export { readInTask, unlessDamaged, type FoundDamage } from './damage.ts';
export { encodeSet, type EncodedSet, type Encoding, type SetContents } from './arrow/encode-set.ts';
export { fsck } from './folder/fsck.ts';
export { quickCheck } from './folder/quick-check.ts';
export { StaleBuilder, type Mark } from './mark.ts';
export { createMemorySets, type MemoryOptions } from './memory.ts';
export type { Place } from './place.ts';
export {
  fullAtStart,
  isWritable,
  openReadOnly,
  openReadOnlySets,
  type QueriedSets,
} from './folder/read-only.ts';
export { RotatedLog } from './logs/rotated-log.ts';
export { SetReader } from './folder/read-set.ts';
export { reducedTable } from './clickhouse/reduced-table.ts';
export type { Condition, ReducedPlan, Reduction } from './reduction.ts';
export { DamagedSet, type SetKey, type SetMeta } from './set-key.ts';
export {
  originOf,
  type Damage,
  type ReadTable,
  type Report,
  type SetInfo,
  type Sets,
  type StoredSet,
} from './sets.ts';
export { uniformSets, type UniformSet } from './uniform-sets.ts';

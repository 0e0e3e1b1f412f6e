export { AppendLog, readLog } from './append-log.ts';
export type { StreamColumn, StreamValues } from './arrow.ts';
export { ARROW_END, arrowBatches, arrowPieces } from './arrow-stream.ts';
export { openArrowFiles, type ArrowFilesOptions } from './arrow-files.ts';
export { BoundedLog } from './bounded-log.ts';
export { DISK, type Disk } from './disk.ts';
export { KeptDocument, type DocumentOptions } from './document.ts';
export { encodeSet, type EncodedSet, type Encoding, type SetContents } from './encode-set.ts';
export { fsck } from './fsck.ts';
export { createMemorySets, type MemoryOptions } from './memory.ts';
export type { Place } from './place.ts';
export { isWritable, openReadOnly, openReadOnlySets, type QueriedSets } from './read-only.ts';
export { SetReader } from './read-set.ts';
export { DamagedSet, type SetKey, type SetMeta } from './set-key.ts';
export {
  type Damage,
  type ReadTable,
  type Report,
  type SetInfo,
  type Sets,
  type StoredSet,
} from './sets.ts';
export { uniformSets, type UniformSet } from './uniform-sets.ts';

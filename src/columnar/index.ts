export { withOwner, type OwnedMemory } from './with-owner.ts';
export { Arena, ArenaFull, type Owner } from './arena.ts';
export { createMemory, type ArenaMemory } from './arena-memory.ts';
export { Owners } from './owners.ts';
export {
  addressOf,
  bytesOfRows,
  codesIn,
  commonCodes,
  firstNumbers,
  greatestValues,
  mapCodes,
  mapKeptCodes,
  MIXED_CODES,
  NO_CODE,
  noCodes,
  numberPairs,
  rowsOfValue,
  type NumberedPairs,
  type Workspace,
} from './codes.ts';
export {
  checkHeap,
  freeHeapAt,
  giveBackHeap,
  HeapFull,
  heapLimitMib,
  shareHeaps,
  spendHeap,
  takeHeapAt,
} from './heap.ts';
export { checksumOf, type Checksum } from './crc32.ts';
export {
  cellText,
  CSV_SLACK_BYTES,
  readCsv,
  recordsEnd,
  type CsvBytes,
  type CsvColumns,
  type CsvPlan,
} from './csv.ts';
export {
  Dictionary,
  DictionaryBuilder,
  type StorableTexts,
  type Texts,
  type TextsAt,
} from './dictionary.ts';
export { escapeTexts, type TextForm } from './escape.ts';
export {
  copyFrame,
  createFrame,
  Frame,
  frameBytes,
  type Column,
  type ColumnSpec,
  type ColumnType,
} from './frame.ts';
export {
  addShared,
  gatherRows,
  mapField,
  mapFieldSum,
  mapNumbers,
  pickRows,
  type NumberRecords,
} from './gather.ts';
export {
  groupedCounts,
  groupedExtremes,
  groupedSums,
  groupLayout,
  sumsOfColumn,
  type Extremes,
  type GroupInput,
  type GroupLayout,
} from './group.ts';
export {
  compileKernels,
  createEngine,
  instantiateKernels,
  type Engine,
  type KernelExports,
  type KernelModule,
} from './kernels.ts';
export {
  condense,
  condenseByMetric,
  type Block,
  type CondenseOptions,
  type MetricTarget,
} from './condense.ts';
export { readLabels, RecordReader, type SeriesRecord } from './records.ts';
export {
  absorb,
  createMeter,
  droppedSamples,
  indexKeys,
  RESOURCES,
  ROW_BYTES,
  SEGMENT_BYTES,
  segmentBytes,
  settle,
  type KeyLabels,
  type MeterOptions,
  type MeterTables,
  type MeteredResource,
} from './meter.ts';
export {
  BATCH_SLACK_BYTES,
  DamagedBatch,
  latestSampleMs,
  type ArenaBatch,
  type Piece,
} from './series.ts';
export {
  constantNumber,
  NARROW_BYTES,
  narrowEnd,
  narrowNumbers,
  narrowTexts,
  narrowType,
  utf8Of,
  widen,
  type NarrowArray,
  type NarrowType,
  type Utf8Texts,
} from './narrow.ts';
export { compileRow, ownersOfProgram, type RowPart } from './row-program.ts';
export { writeRows, type Chunk } from './write-rows.ts';
export {
  addOverlaps,
  addRated,
  sumOverlaps,
  sumPlaces,
  type Placed,
  type Times,
} from './places.ts';
export { RowSet } from './row-set.ts';
export { rowsWhere } from './rows-where.ts';
export { Scratch } from './scratch.ts';
export { codesAt, NOWHERE, TupleIndex, type TupleColumn } from './tuple-index.ts';
export { DEMAND, DEMAND_FIELDS, DemandRecords, RUN_NUMBERS, toldCodes } from './demand.ts';
export { TextIndex } from './text-index.ts';
export {
  bytesOfPieces,
  joinedBy,
  storeBytes,
  storePieces,
  storeText,
  storeValues,
  valuesIn,
  type TextPiece,
} from './text-pieces.ts';
export { TextPacker, type PackedTexts } from './text-packer.ts';
export { SAMPLED, sampleUsage, type SampledRows } from './samples.ts';
export {
  countValues,
  addSketches,
  createSketches,
  encodeSketches,
  mergeSketches,
  sketchQuantiles,
  trimSketches,
  type Sketches,
} from './sketch.ts';
export { stackTables, type ColumnNames } from './stack.ts';
export { openTable, type TableAddresses } from './stored-table.ts';
export {
  frameTable,
  joinTables,
  onlyColumns,
  sliceRows,
  type BytesColumn,
  type NumberColumn,
  type Table,
  type TextColumn,
} from './table.ts';
export { numbersByCode, numbersIn, numbersOf, plainColumn, textColumn } from './text-columns.ts';
export { runningIn, sharePods, type LifeSet, type RunColumns } from './lives.ts';
export { ALIKE, alikeJoined, orderOfJoined } from './joined-names.ts';
export { isStored, wholeTexts, type StoredTexts, type WholeTexts } from './whole-texts.ts';

export { withOwner, withOwnerWhile, type OwnedMemory } from './memory/with-owner.ts';
export { Arena, ArenaFull, type Owner } from './memory/arena.ts';
export { createMemory, type ArenaMemory } from './memory/arena-memory.ts';
export { Owners } from './memory/owners.ts';
export {
  addressOf,
  bytesOfRows,
  codesIn,
  commonCodes,
  firstNumbers,
  greatestValues,
  mapCodes,
  mapSelectedCodes,
  MIXED_CODES,
  NO_CODE,
  noCodes,
  agreedCodes,
  numberPairs,
  splitPairs,
  rowsOfValue,
  type NumberedPairs,
  type Workspace,
} from './faces/codes.ts';
export {
  checkHeap,
  freeHeapAt,
  giveBackHeap,
  HeapFull,
  heapLimitMib,
  shareHeaps,
  spendHeap,
  takeHeapAt,
} from './memory/heap.ts';
export { setV8Flag } from './memory/v8-flags.ts';
export { checksumOf, type Checksum } from './faces/crc32.ts';
export {
  cellText,
  CSV_SLACK_BYTES,
  readCsv,
  recordsEnd,
  type CsvBytes,
  type CsvColumns,
  type CsvPlan,
} from './faces/csv.ts';
export {
  Dictionary,
  dictionaryBytes,
  dictionaryPlaces,
  DictionaryBuilder,
  type GrowingTexts,
  type StorableTexts,
  type Texts,
  type TextsAt,
} from './table/dictionary.ts';
export { escapeTexts, type TextForm } from './faces/escape.ts';
export {
  columnSpecs,
  copyFrame,
  createFrame,
  Frame,
  frameBytes,
  type Column,
  type ColumnNames,
  type ColumnSpec,
  type ColumnType,
} from './table/frame.ts';
export {
  addShared,
  gatherRows,
  mapField,
  mapFieldSum,
  mapNumbers,
  pickRows,
  sumColumns,
  type NumberRecords,
} from './faces/gather.ts';
export {
  extremesBytes,
  groupedCounts,
  groupedExtremes,
  groupedSums,
  groupLayout,
  sumsAndRests,
  sumsOfColumn,
  type Extremes,
  type GroupInput,
  type GroupLayout,
} from './faces/group.ts';
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
} from './faces/condense.ts';
export { DamagedMatrix, MatrixReader, type MatrixSeries, type MatrixUse } from './faces/matrix.ts';
export { readLabels, RecordReader, type SeriesRecord } from './faces/records.ts';
export {
  accumulateUsage,
  createMeter,
  droppedSamples,
  indexKeys,
  RESOURCES,
  SEGMENT_BYTES,
  segmentBytes,
  finishMeter,
  MeterSpans,
  type KeyLabels,
  type MeterOptions,
  type MeterTables,
  type MeteredResource,
} from './faces/meter.ts';
export {
  HIDDEN as HIDDEN_ROW,
  IDENTITY,
  RESOURCE_RUNS,
  ROW as METER_ROW,
  SEGMENT,
} from './faces/layout/meter.ts';
export { SAMPLES_BLOCK, STORED_SERIES } from './faces/layout/decode.ts';
export { eachNumber, fillStruct, structAt } from './memory/struct.ts';
export {
  BATCH_SLACK_BYTES,
  blockPlaces,
  storedPlaces,
  DamagedBatch,
  latestSampleMs,
  samplesRead,
  type ArenaBatch,
  type Piece,
} from './faces/series.ts';
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
} from './table/narrow.ts';
export { compileRow, ownersOfProgram, type RowPart } from './faces/row-program.ts';
export { writeRows, type Chunk } from './faces/write-rows.ts';
export {
  addOverlaps,
  addRated,
  sumOverlaps,
  sumPlaces,
  type Placed,
  type Times,
} from './faces/places.ts';
export { RowSet } from './table/row-set.ts';
export { rowsWhere } from './table/rows-where.ts';
export { Scratch } from './memory/scratch.ts';
export { codesAt, NOWHERE, TupleIndex, type TupleColumn } from './faces/tuple-index.ts';
export {
  DEMAND,
  DEMAND_FIELDS,
  DemandRecords,
  RUN_NUMBERS,
  metadataCodes,
} from './faces/demand.ts';
export { storeTexts, TextIndex } from './faces/text-index.ts';
export {
  codesByText,
  codesOfTexts,
  joinCodes,
  numberJoined,
  numberTexts,
  orderOfTexts,
  type NumberedTexts,
} from './faces/column-texts.ts';
export { codesOfLabel, shareLabels, type LabelledRows } from './faces/label-texts.ts';
export {
  bytesOfPieces,
  joinedBy,
  storeBytes,
  storePieces,
  storeText,
  storeValues,
  valuesIn,
  type TextPiece,
} from './table/text-pieces.ts';
export { TextPacker, type PackedTexts } from './faces/text-packer.ts';
export { SAMPLED, sampleUsage, type SampledRows } from './faces/samples.ts';
export {
  countValues,
  addSketches,
  createSketches,
  encodeSketches,
  mergeSketches,
  sketchQuantiles,
  trimSketches,
  type Sketches,
} from './faces/sketch.ts';
export { stackTables } from './table/stack.ts';
export { openTable, type TableAddresses } from './table/stored-table.ts';
export {
  frameTable,
  joinTables,
  onlyColumns,
  sliceRows,
  type BytesColumn,
  type NumberColumn,
  type Table,
  type TextColumn,
} from './table/table.ts';
export {
  numberReader,
  numbersByCode,
  numbersIn,
  numbersOf,
  plainColumn,
  textColumn,
  textReader,
} from './faces/text-columns.ts';
export { runningIn, sharePods, type LifeSet, type RunColumns } from './faces/lives.ts';
export { REPEATS, repeatsOfJoined, orderOfJoined } from './faces/joined-names.ts';
export { isStored, wholeTexts, type StoredTexts, type WholeTexts } from './faces/whole-texts.ts';

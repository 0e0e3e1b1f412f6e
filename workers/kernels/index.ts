// The kernels: every export is a pure function of addresses, counts and strides in the shared
// memory. Statics are read-only tables (each thread's instantiation rewrites them with the same
// bytes); scratch space is passed in; nothing allocates.
//
// TypeScript's types of the exports, the constants among them, and the places of the fields of every
// exported @unmanaged class are generated: src/columnar/faces/layout.

export { foldCrc32, FOLD_ROOM, FOLDED_AT } from "./decode/crc32";
export { CRC_ROOM, crc32c, crc32cTable } from "./decode/crc32c";
export { decodeXorChunk } from "./decode/xor-chunk";
export { condense, CONDENSE_SCRATCH_BYTES, OTHER_METRIC, OUTPUT_FULL } from "./decode/condense";
export { findKey, indexKeys, KEY_SCRATCH_BYTES } from "./meter/key-index";
export { NAME_IS_PREFIX } from "./decode/labels";
export { BAD_TEXT, MORE as JSON_MORE, SLACK as JSON_SLACK, UNEXPECTED } from "./decode/json-bytes";
export { TOO_DEEP } from "./decode/json-skip";
export { NOT_PAIR, ODD_TIME, ODD_VALUE, SAMPLES_FULL as COLUMNS_FULL } from "./decode/matrix-pairs";
export {
  CROWDED,
  END as MATRIX_END,
  LABELS_FULL,
  readMatrix,
  SERIES as MATRIX_SERIES,
} from "./decode/matrix";
export { CHUNKED_READ, CURSOR_ROOM, NO_ROOM, SAMPLES, STORED_CHUNKS, WRONG_CHECKSUM } from "./decode/series";
export { accumulateUsage, PART, SAMPLES_FULL, SPANS_FULL, UNKNOWN } from "./meter/meter";
export { closeHours } from "./meter/samples";
export { finishMeter } from "./meter/finish";
export {
  addToAll,
  agreedCodes,
  anyCode,
  bytesOfBits,
  commonCodes,
  greatestValues,
  mapCodes,
  mapSelectedCodes,
  MIXED_CODES,
  NO_CODE,
  markBits,
  markCodes,
  narrowCodes,
  numberCodes,
  numberPairs,
  PAIRS_FULL,
  rowsOfValue,
  shiftCodes,
  splitPairs,
} from "./columns/codes";
export {
  NAME_FIRST,
  NAME_UNIQUE,
  NAME_REPEAT,
  joinPairs,
  joinTexts,
  measureJoined,
  markRepeats,
} from "./text/joined";
export { runningIn, sharePods } from "./columns/lives";
export {
  addAgreed,
  addLabels,
  agreeLabels,
  longestText,
  ODD_LABELS,
  splitLabels,
} from "./text/label-pairs";
export { orderTexts } from "./text/order";
export { addShared, mapField, mapFieldSum, mapNumbers } from "./columns/gather";
export { addOverlaps, addRated, sumOverlaps, sumPlaces } from "./columns/places";
export { escapeTexts, FORM_CSV, FORM_JSON, measureTexts } from "./text/escape";
export {
  addColumn,
  addWeighted,
  averageColumn,
  divideColumn,
  efficiencyColumn,
  hoursBetween,
  meanColumn,
  multiplyColumn,
  scaleColumn,
} from "./columns/formulas";
export {
  COLUMN_CELLS,
  KIND_FIXED,
  KIND_LITERAL,
  KIND_MEMBER,
  KIND_MOMENT,
  KIND_NUMBER,
  KIND_TEXT,
  KIND_TEXT_OR_MISSING,
  writeRows,
} from "./text/rows";
export {
  EXTREMES_BYTES,
  groupedCounts,
  groupedExtremes4,
  groupedSums4,
  groupedSums8,
  groupedSumsCompensated4,
  groupedSumsCompensated8,
  MAXIMA_AT,
  readColumns8,
} from "./columns/grouped-sums";
export { clearExtremes, greatestOfRecords, leastOfRecords, sumsOfRecords } from "./columns/records";
export {
  countByte,
  CROWDED as CSV_CROWDED,
  FULL as CSV_FULL,
  MISQUOTED as CSV_MISQUOTED,
  READ as CSV_READ,
  readCsv,
} from "./decode/csv";
export {
  addSketches,
  COUNTS_MOST,
  countValues,
  encodeSketches,
  mergeSketches,
  sketchQuantiles,
} from "./meter/sketch";
export { addLargest, addRuns, joinDemand } from "./columns/demand";
export {
  addText,
  addUsed,
  copyTexts,
  findText,
  FULL as TEXTS_FULL,
  isPlain,
  mergeTexts,
  placeTexts,
} from "./text/texts";
export { numberTuples, spreadNumbers } from "./columns/tuples";

// The kernels: every export is a pure function of addresses, counts and strides in the shared
// memory. Statics are read-only tables (each thread's instantiation rewrites them with the same
// bytes); scratch space is passed in; nothing allocates. Their TypeScript face, with the same names,
// is src/columnar/kernels.ts.

export { foldCrc32 } from "./crc32";
export { crc32c, crc32cTable } from "./crc32c";
export { decodeXorChunk } from "./xor-chunk";
export { condense } from "./condense";
export { indexKeys, findKey } from "./key-index";
export { absorb } from "./meter";
export { closeHours } from "./meter-samples";
export { settle } from "./meter-settle";
export {
  addToAll,
  anyCode,
  bytesOfBits,
  commonCodes,
  greatestValues,
  mapCodes,
  mapKeptCodes,
  markBits,
  markCodes,
  narrowCodes,
  numberCodes,
  numberPairs,
  rowsOfValue,
  shiftCodes,
} from "./codes";
export { joinTexts, measureJoined, tellAlike } from "./joined";
export { runningIn, sharePods } from "./lives";
export { orderTexts } from "./order";
export { addShared, mapField, mapFieldSum, mapNumbers } from "./gather";
export { addOverlaps, addRated, sumOverlaps, sumPlaces } from "./places";
export { escapeTexts, measureTexts } from "./escape";
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
} from "./formulas";
export { writeRows } from "./rows";
export {
  groupedCounts,
  groupedExtremes4,
  groupedSums4,
  groupedSums8,
  groupedSumsCompensated4,
  groupedSumsCompensated8,
  readColumns8,
} from "./grouped-sums";
export { clearExtremes, greatestOfRecords, leastOfRecords, sumsOfRecords } from "./records";
export { countByte, readCsv } from "./csv";
export { addSketches, countValues, encodeSketches, mergeSketches, sketchQuantiles } from "./sketch";
export { addLargest, addRuns, joinDemand } from "./demand";
export { addText, copyTexts, isPlain, mergeTexts, placeTexts } from "./texts";
export { numberTuples, spreadNumbers } from "./tuples";

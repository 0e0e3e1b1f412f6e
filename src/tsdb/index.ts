export { BlockFolder, type BlockQuery, type SeriesSource } from './folder/block-folder.ts';
export type { BlockFinding } from './folder/block-check.ts';
export { decodeMeta, type BlockFiles, type BlockMeta } from './format/block-meta.ts';
export { ByteReader } from './format/byte-reader.ts';
export {
  chunkExtent,
  chunkFileName,
  CHUNKS_HEAD_BYTES,
  FILE_UNIT,
  readChunkData,
  XOR_ENCODING,
} from './format/chunk-format.ts';
export { chunkedBatches, spansOf, storedBatches } from './format/stored-batches.ts';
export { crc32c } from './format/crc32c.ts';
export { timesIn, within, withoutSpans, type TimeSpan } from './format/cut-chunk.ts';
export { DamagedBlock } from './format/damaged-block.ts';
export { readDeletedSpans, type DeletedSpans } from './format/deleted-spans.ts';
export { fsckBlocks, type BlocksChecked } from './folder/fsck-blocks.ts';
export {
  INDEX_HEAD_BYTES,
  joinedPostings,
  readEntry,
  readPostings,
  readPostingsRows,
  readToc,
  SERIES_ALIGN,
  TOC_BYTES,
  type IndexedChunk,
  type IndexEntry,
  type Toc,
} from './format/index-format.ts';
export { compareLabels, LabelScan } from './format/label-scan.ts';
export { matchingOf, type LabelTest } from './format/label-tests.ts';
export { mergeChunks } from './format/merge-chunks.ts';
export { openBlock } from './folder/open-block.ts';
export { samplesIn, SPAN_BYTES_MAX } from './format/series.ts';
export type {
  BlockRange,
  BlockSeries,
  LabelBytes,
  StoredSeries,
  StoredSpan,
  XorChunk,
} from './format/series.ts';
export { SymbolTable } from './format/symbol-table.ts';
export { writeBlock } from './folder/write-block.ts';
export { XorAppender } from './format/xor-appender.ts';
export { XorSamples } from './format/xor-samples.ts';

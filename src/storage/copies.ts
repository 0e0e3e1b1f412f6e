/** Copies between stores. A door of its own: it talks to servers, and workers must not load it. */
export {
  bucketPlace,
  clickHousePlace,
  folderToRead,
  folderToWrite,
  type CopyPlace,
} from './copy/copy-place.ts';
export { copySets, type Copied } from './copy/copy-sets.ts';
export { parquetBucket, parquetFolder, type ParquetPlace } from './parquet/parquet-place.ts';
export { sinkSets } from './parquet/sink-sets.ts';

/** Parquet as another program reads it. */
import { parquetMetadata, parquetReadObjects, type FileMetaData } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

type Rows = readonly Readonly<Record<string, unknown>>[];

export async function parquetRows(bytes: Uint8Array): Promise<Rows> {
  return await parquetReadObjects({ file: bufferOf(bytes), compressors });
}

/** What the end of the file says of it. */
export function parquetFooter(bytes: Uint8Array): FileMetaData {
  return parquetMetadata(bufferOf(bytes));
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

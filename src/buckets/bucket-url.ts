/** URLs of buckets: s3://BUCKET/KEY, gs://BUCKET/KEY, azblob://ACCOUNT/CONTAINER/KEY. */

export interface BucketPlace {
  readonly cloud: 's3' | 'gs' | 'azblob';
  /** The storage account of Azure; else empty. */
  readonly account: string;
  readonly bucket: string;
  /** A file, or a prefix, which is empty or ends with a slash. */
  readonly key: string;
}

const PLACE =
  /^(?:(s3|gs):\/\/()|(azblob):\/\/([a-z0-9]{3,24})\/)([A-Za-z0-9][\w.-]{1,220})(?:\/(.*))?$/;
/** Endings of files of bills; all else is a prefix. */
const FILE = /\.(csv|parquet|gz|zst)$/i;

/** @returns undefined for another URL, or one that names no bucket */
export function readBucketUrl(text: string): BucketPlace | undefined {
  const [, cloud, , azure, account = '', bucket = '', written = ''] = PLACE.exec(text) ?? [];
  const known = cloud ?? azure;
  if (known !== 's3' && known !== 'gs' && known !== 'azblob') return undefined;
  if (/[?#]/.test(written) || bucket.includes('..')) return undefined;
  const key = decoded(written);
  if (key === undefined || key.split('/').some((part) => part === '.' || part === '..'))
    return undefined;
  const isWhole = key === '' || key.endsWith('/') || FILE.test(key);
  return { cloud: known, account, bucket, key: isWhole ? key : `${key}/` };
}

/** @returns undefined where it cannot be decoded */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

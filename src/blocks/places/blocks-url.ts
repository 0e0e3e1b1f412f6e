/** URLs of blocks: those of buckets, and `file:///folder`. */
import { fileURLToPath } from 'node:url';
import { readBucketUrl, type BucketPlace } from '../../buckets/index.ts';

export type BlocksPlace =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'bucket'; readonly place: BucketPlace };

/** @returns undefined for any other URL */
export function readBlocksUrl(text: string): BlocksPlace | undefined {
  if (text.startsWith('file:')) {
    const path = folderOf(text);
    return path === undefined ? undefined : { kind: 'folder', path };
  }
  const place = readBucketUrl(text.endsWith('/') ? text : `${text}/`);
  return place === undefined ? undefined : { kind: 'bucket', place };
}

function folderOf(text: string): string | undefined {
  if (!/^file:\/\/\/[^?#]*$/.test(text) || !URL.canParse(text)) return undefined;
  try {
    return fileURLToPath(text).replace(/(?<=.)\/+$/, '');
  } catch {
    return undefined;
  }
}

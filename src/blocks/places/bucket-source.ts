/** Blocks below a prefix of a bucket. */
import type { Bucket } from '../../buckets/index.ts';
import type { RangeSource } from './range-source.ts';

/** @param prefix empty, or with a slash at its end */
export function bucketSource(bucket: Bucket, prefix: string): RangeSource {
  const name = `${bucket.name}/${prefix}`.replace(/\/$/, '');
  return {
    name,
    list: async (folder, isWanted, signal) => {
      const isOurs = (key: string): boolean => isWanted(key.slice(prefix.length));
      const { objects, nowMs } = await bucket.list(`${prefix}${folder}`, isOurs, signal);
      const files = objects.map((each) => ({ ...each, key: each.key.slice(prefix.length) }));
      return { files, nowMs };
    },
    read: ({ key, version }, at, bytes, signal) =>
      bucket.readRange({ key: `${prefix}${key}`, version }, { at, bytes }, signal),
  };
}

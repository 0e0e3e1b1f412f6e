/**
 * Files of bills in a bucket, as the clouds export them. Below a prefix a folder that names a period is a
 * delivery of its own, so that a new file of this month has no other month read again:
 *
 *   BILLING_PERIOD=2024-09/part-1.csv.gz                        AWS, files are overwritten
 *   BILLING_PERIOD=2024-09/20241002T010203Z-…/part-1.csv.gz     AWS, a folder for each run
 *   20240901-20240930/202410020102/GUID/part_0_0001.csv         Azure, a folder for each run
 *
 * Each run exports the whole period, so that the newest alone counts.
 */
import type { Bucket, BucketPlace, StoredObject } from '../../buckets/index.ts';
import type { RemoteFile } from './remote-file.ts';

/** Objects that did not change for so long, by the clock of the store, are complete with those beside them. */
const SETTLE_MS = 60_000;
const BILL = /(^|\/)[^._/][^/]*\.(csv|parquet|gz|zst)$/i;
const PERIOD = /^(?:[a-z_]+=)?\d{4}-\d{2}(?:-01)?$|^\d{8}-\d{8}$/i;
const RUN =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|^\d{4}-?\d{2}-?\d{2}T\d{2}|^\d{12}(\d{2})?$/i;

interface Found {
  readonly object: StoredObject;
  readonly group: string;
  /** The run's folder; empty: the file is of no run. */
  readonly run: string;
}

export async function bucketFiles(
  bucket: Bucket,
  { key }: BucketPlace,
  signal: AbortSignal,
): Promise<RemoteFile[]> {
  const isPrefix = key === '' || key.endsWith('/');
  const { objects, nowMs } = isPrefix
    ? await bucket.list(key, (name) => BILL.test(name.slice(key.length)), signal)
    : await bucket.find(key, signal);
  const found = objects.map((object) => placed(object, isPrefix ? key.length : Infinity));
  return newestRuns(found).map(({ object, group }) => {
    const { changedMs, bytes, version } = object;
    const name = `${bucket.name}/${object.key}`;
    return {
      name,
      group,
      version: JSON.stringify([name, version, bytes, changedMs]),
      changedMs,
      bytes,
      isSettled: !(nowMs - changedMs < SETTLE_MS),
      read: (aborted) => bucket.read(object, aborted),
    };
  });
}

function placed(object: StoredObject, prefixLength: number): Found {
  const folders = object.key.slice(prefixLength).split('/').slice(0, -1);
  const period = folders.findIndex((folder) => PERIOD.test(folder));
  if (period < 0) return { object, group: '', run: '' };
  const run = folders.findIndex((folder, i) => i > period && RUN.test(folder));
  return {
    object,
    group: folders[period] ?? '',
    run: run < 0 ? '' : folders.slice(0, run + 1).join('/'),
  };
}

/** Files of the newest run of each place that has runs, and of places without. */
function newestRuns(found: readonly Found[]): readonly Found[] {
  const newest = new Map<string, Found>();
  for (const each of found) {
    if (each.run === '') continue;
    const best = newest.get(parentOf(each.run));
    if (best === undefined || isNewer(each, best)) newest.set(parentOf(each.run), each);
  }
  return found.filter(({ run }) => run === '' || newest.get(parentOf(run))?.run === run);
}

function isNewer(one: Found, other: Found): boolean {
  const byTime = one.object.changedMs - other.object.changedMs;
  return byTime > 0 || (byTime === 0 && one.run > other.run);
}

function parentOf(run: string): string {
  return run.slice(0, run.lastIndexOf('/') + 1);
}

/** Bills at URLs: http, https, and buckets of the clouds. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readBucketUrl, type Bucket, type BucketPlace } from '../../buckets/index.ts';
import { openBillFile, type BillFile } from '../focus/index.ts';
import type { SourceId } from './bill-key.ts';
import { bucketFiles } from './bucket-files.ts';
import { openFiles, unreachable, type BillFeed, type Offer } from './feeds.ts';
import type { RemoteFile } from './remote-file.ts';
import { webFile, type WebOptions } from './web-files.ts';

export interface UrlFeedOptions extends SourceId, WebOptions {
  /** At least one. */
  readonly urls: readonly string[];
  readonly openBucket: (place: BucketPlace) => Bucket;
}

export function createUrlFeed(options: UrlFeedOptions): BillFeed {
  const buckets = new Map<string, Bucket>();
  return {
    async offers(signal) {
      const files: RemoteFile[] = [];
      for (const url of options.urls) {
        const place = readBucketUrl(url);
        if (place === undefined) {
          files.push(await webFile(options, new URL(url), signal));
          continue;
        }
        // A bucket knows its region once it was asked.
        const bucket = buckets.get(url) ?? options.openBucket(place);
        buckets.set(url, bucket);
        files.push(...(await bucketFiles(bucket, place, signal)));
      }
      return offersOf(options, files);
    },
  };
}

/** A delivery of each group that is complete; the newest last, as it takes the place of those before. */
function offersOf(options: UrlFeedOptions, files: readonly RemoteFile[]): Offer[] {
  const groups = new Map<string, RemoteFile[]>();
  for (const file of files) {
    const group = groups.get(file.group);
    if (group === undefined) groups.set(file.group, [file]);
    else group.push(file);
  }
  return [...groups]
    .filter(([, group]) => group.every(({ isSettled }) => isSettled !== false))
    .toSorted(([, one], [, other]) => newestMs(one) - newestMs(other))
    .map(([name, group]) => offerOf(options, name, group));
}

function offerOf({ as, source }: SourceId, group: string, files: readonly RemoteFile[]): Offer {
  const hash = createHash('sha256');
  for (const { version } of files) hash.update(version);
  const place = group === '' ? `${as}/${source}` : `${as}/${source}/${group}`;
  const label = `${place} of URLs ${hash.digest('hex').slice(0, 16)}`;
  return { as, source, label, open: (aborted) => download(`${as}/${source}`, files, aborted) };
}

function newestMs(files: readonly RemoteFile[]): number {
  return files.reduce((most, { changedMs = 0 }) => Math.max(most, changedMs), 0);
}

/** Downloads to files, as Parquet is read at many places, and no bill twice over the net. */
async function download(
  what: string,
  files: readonly RemoteFile[],
  signal: AbortSignal,
): ReturnType<Offer['open']> {
  const folder = await mkdtemp(join(tmpdir(), 'prorata-bills-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const open = async (file: RemoteFile, i: number): Promise<BillFile> => {
    const path = join(folder, String(i));
    const { body, headers } = await file.read(signal);
    await pipeline(body ?? [], createWriteStream(path));
    // What is unpacked on its way has another size than was listed.
    const isAsListed = headers.get('content-encoding') === null;
    const { size } = await stat(path);
    if (isAsListed && file.bytes !== undefined && file.bytes !== size)
      throw new Error(`${file.name}: ${size} of ${file.bytes} bytes came`);
    return { ...(await openBillFile(path)), name: file.name };
  };
  return await openFiles(files, open, remove).catch((error: unknown) => {
    throw unreachable(`bills of ${what}`, error);
  });
}

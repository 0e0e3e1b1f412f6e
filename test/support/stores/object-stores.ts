/** Stores of sets in a scripted S3, which checks signatures and conditions, over real sockets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBuckets, readBucketUrl, type Bucket } from '../../../src/buckets/index.ts';
import type { Arena } from '../../../src/columnar/index.ts';
import {
  openObjectSets,
  type ObjectSets,
  type ObjectSetsOptions,
} from '../../../src/storage/objects/object-sets.ts';
import { cloudsOf } from '../servers/cloud-options.ts';
import { startCloud, type CloudAnswer, type CloudRequest, type ScriptedCloud } from '../servers/scripted-cloud.ts'; // prettier-ignore
import { readerThreads, type ReaderThreads } from './reader-threads.ts';
import { s3Answer, s3Script, s3Variables, type S3Script } from './s3-script.ts';

export interface ObjectWorld {
  readonly script: S3Script;
  readonly cloud: ScriptedCloud;
  readonly threads: ReaderThreads;
  /** Sentences that stores noted. */
  readonly notes: string[];
  /** A folder of this machine. */
  readonly home: string;
  readonly bucket: Bucket;
  open(arena: Arena, options?: Partial<ObjectSetsOptions>): Promise<ObjectSets>;
  stop(): Promise<void>;
}

/** @param answer in place of the store's: what it does about a request */
export async function startObjectWorld(
  answer: (request: CloudRequest, store: () => CloudAnswer) => CloudAnswer = (_, store) => store(),
): Promise<ObjectWorld> {
  const script = { ...s3Script('sets'), pageKeys: 100 };
  const cloud = await startCloud((request) => answer(request, () => s3Answer(script, request)));
  const threads = readerThreads();
  const notes: string[] = [];
  const home = mkdtempSync(join(tmpdir(), 'prorata-objects-'));
  const bucket = bucketAt(cloud.origin);
  return {
    script,
    cloud,
    threads,
    notes,
    home,
    bucket,
    open: (arena, options = {}) =>
      openObjectSets({
        bucket,
        prefix: 'a store/',
        arena,
        cacheBytes: 64 << 20,
        fromWorkers: threads.fromWorkers,
        note: (sentence) => notes.push(sentence),
        ...options,
      }),
    async stop() {
      await threads.stop();
      cloud.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export function bucketAt(origin: string, firstPauseMs = 1): Bucket {
  const place = readBucketUrl('s3://sets');
  if (place === undefined) throw new Error('no bucket');
  return openBuckets({ ...cloudsOf(s3Variables(origin)), firstPauseMs }, 'write')(place);
}

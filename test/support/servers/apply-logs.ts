/** Journals of applies, at places that a process is told of by a text: a folder, or the URL of a scripted bucket. */
import { s3Bucket } from '../../../src/buckets/s3.ts';
import { FolderLogs, type RunLogs } from '../../../src/request-sizing/apply/run-logs.ts';
import { ObjectLogs } from '../../../src/storage/objects/object-logs.ts';

/** A writer that is not heard of for so long is waited for no more. */
export const LIVE_MS = 1000;

const NONE = {
  sessionToken: undefined,
  stsEndpoint: undefined,
  roleArn: undefined,
  webIdentityTokenFile: undefined,
  roleSessionName: '',
  containerUrl: undefined,
  containerTokenFile: undefined,
  metadataUrl: undefined,
  isMetadataOff: true,
} as const;
const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'sEcReT/key+1' } as const;

/** @param place a path, or `http://127.0.0.1:1234/prefix/` */
export function logsAt(place: string): RunLogs {
  if (!place.startsWith('http:')) return new FolderLogs(place);
  const { origin, pathname } = new URL(place);
  // Whatever reads settings is too large for processes that are started this often.
  const aws = { ...NONE, ...KEYS, region: 'eu-central-1', endpoint: origin };
  const identity = {
    name: 'the key',
    keys: () => Promise.resolve({ ...KEYS, sessionToken: undefined }),
    forget: () => undefined,
  };
  const bucket = s3Bucket('sets', aws, identity, { nowMs: Date.now, firstPauseMs: 1 });
  return new ObjectLogs({
    bucket,
    prefix: pathname.slice(1),
    folder: 'request-sizing',
    liveMs: LIVE_MS,
  });
}

/** The files of a folder as a bucket of S3. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { s3Script, type S3Script } from './s3-script.ts';

const KEYS_OF_A_PAGE = 1000;

/** @param prefix of all keys, with a slash at its end, or '' */
export function bucketOfFolder(bucket: string, prefix: string, folder: string): S3Script {
  const script = { ...s3Script(bucket), pageKeys: KEYS_OF_A_PAGE };
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = readFileSync(path);
    const etag = `"${createHash('md5').update(content).digest('hex')}"`;
    script.files.set(`${prefix}${path.slice(folder.length + 1)}`, { content, etag });
  }
  return script;
}

/** Variables by which a server reads it. */
export function variablesOf(origin: string): Readonly<Record<string, string>> {
  return {
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'sEcReT/key+1',
    AWS_ENDPOINT_URL: origin,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}

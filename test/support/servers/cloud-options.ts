/** Options of clouds, none of which is there. */
import type { CloudOptions } from '../../../src/buckets/index.ts';
import { cloudOptions } from '../../../src/settings/cloud-options.ts';
import { loadConfig } from '../../../src/settings/config.ts';

/** @param variables as a platform sets them for a pod */
export function cloudsOf(
  variables: Readonly<Record<string, string>>,
  nowMs: () => number = Date.now,
): CloudOptions {
  const nowhere = {
    AWS_EC2_METADATA_DISABLED: 'true',
    GCE_METADATA_HOST: '127.0.0.1:1',
    AZURE_POD_IDENTITY_AUTHORITY_HOST: 'http://127.0.0.1:1',
  };
  const { config } = loadConfig([], { ...nowhere, ...variables }, () => '');
  return { ...cloudOptions(config), firstPauseMs: 1, nowMs };
}

/** A store of S3 with the keys that scripts know. */
export function s3Clouds(origin: string): CloudOptions {
  return cloudsOf({
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'sEcReT/key+1',
    AWS_ENDPOINT_URL: origin,
  });
}

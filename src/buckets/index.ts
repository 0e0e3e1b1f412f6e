/** Buckets of the clouds, with the identities by which they are read. */
import { azureContainer } from './azblob.ts';
import { awsIdentity, type AwsOptions } from './aws-credentials.ts';
import { azureIdentity, type AzureOptions } from './azure-credentials.ts';
import type { BucketPlace } from './bucket-url.ts';
import type { Bucket } from './bucket.ts';
import type { Outside } from './exchange.ts';
import { gcsBucket } from './gcs.ts';
import { googleIdentity, type GoogleOptions } from './google-credentials.ts';
import { s3Bucket } from './s3.ts';

export { awsSigner, type AwsSigner } from './aws-signer.ts';
export type { Bucket, StoredObject } from './bucket.ts';
export { readBucketUrl, type BucketPlace } from './bucket-url.ts';

export interface CloudOptions extends Outside {
  readonly aws: AwsOptions;
  readonly google: GoogleOptions;
  readonly azure: AzureOptions;
}

/**
 * Buckets share the credentials of their cloud.
 * @param use whether the credentials are asked for to write as well
 */
export function openBuckets(
  options: CloudOptions,
  use: 'read' | 'write' = 'read',
): (place: BucketPlace) => Bucket {
  const aws = awsIdentity(options.aws, options);
  const google = googleIdentity(options.google, options, use);
  const azure = azureIdentity(options.azure, options);
  return ({ cloud, account, bucket }) => {
    if (cloud === 's3') return s3Bucket(bucket, options.aws, aws, options);
    if (cloud === 'gs') return gcsBucket(bucket, options.google, google, options);
    return azureContainer(account, bucket, options.azure, azure, options);
  };
}

/** How buckets of the clouds are read, as the configuration says. */
import type { CloudOptions } from '../buckets/index.ts';
import type { BucketSettings } from './buckets.ts';

const FIRST_PAUSE_MS = 500;

export function cloudOptions(config: BucketSettings): CloudOptions {
  return {
    nowMs: Date.now,
    firstPauseMs: FIRST_PAUSE_MS,
    aws: {
      accessKeyId: config.awsAccessKeyId,
      secretAccessKey: config.awsSecretAccessKey,
      sessionToken: config.awsSessionToken,
      region: config.awsRegion,
      endpoint: config.awsEndpointUrl,
      stsEndpoint: config.awsStsUrl,
      roleArn: config.awsRoleArn,
      webIdentityTokenFile: config.awsWebIdentityTokenFile,
      roleSessionName: config.awsRoleSessionName,
      containerUrl: config.awsContainerUrl,
      containerTokenFile: config.awsContainerTokenFile,
      metadataUrl: config.awsMetadataUrl,
      isMetadataOff: config.isAwsMetadataOff,
    },
    google: {
      credentialsFile: config.googleCredentialsFile,
      metadataHost: config.googleMetadataHost,
      endpoint: config.gcsUrl,
    },
    azure: {
      clientId: config.azureClientId,
      tenantId: config.azureTenantId,
      federatedTokenFile: config.azureTokenFile,
      authority: config.azureAuthority,
      metadataUrl: config.azureMetadataUrl,
      endpoint: config.azblobUrl,
    },
  };
}

/**
 * Settings of buckets: stores beside those of the clouds, and the identity by which buckets are read.
 * Variables have the names that the clouds' own tools read, so that what a platform sets for a pod works.
 */
import { readBoolean } from '../query/index.ts';
import type { Rows, Setting } from './settings.ts';

export interface BucketSettings {
  readonly awsAccessKeyId: string | undefined;
  readonly awsSecretAccessKey: string | undefined;
  readonly awsSessionToken: string | undefined;
  readonly awsRegion: string;
  /** URL of an S3-compatible store; absent: AWS. */
  readonly awsEndpointUrl: string | undefined;
  readonly awsStsUrl: string | undefined;
  readonly awsRoleArn: string | undefined;
  readonly awsWebIdentityTokenFile: string | undefined;
  readonly awsRoleSessionName: string;
  readonly awsContainerUrl: string | undefined;
  readonly awsContainerTokenFile: string | undefined;
  readonly awsMetadataUrl: string | undefined;
  readonly isAwsMetadataOff: boolean;
  readonly googleCredentialsFile: string | undefined;
  readonly googleMetadataHost: string;
  readonly gcsUrl: string;
  readonly azureClientId: string | undefined;
  readonly azureTenantId: string | undefined;
  readonly azureTokenFile: string | undefined;
  readonly azureAuthority: string;
  readonly azureMetadataUrl: string;
  /** `{account}` stands for the name of the account. */
  readonly azblobUrl: string;
}

const WORD = /^[\x21-\x7e]{1,2048}$/;
/** Hosts that give credentials are no stores. */
const METADATA =
  /^(169\.254\.\d{1,3}\.\d{1,3}|\[fd00:ec2::[0-9a-f]+\]|\[fe80:.*|metadata\.google\.internal\.?)$/i;

export const BUCKET_SETTINGS: Rows<BucketSettings> = {
  awsAccessKeyId: secret('awsAccessKeyId', 'AWS_ACCESS_KEY_ID'),
  awsSecretAccessKey: secret('awsSecretAccessKey', 'AWS_SECRET_ACCESS_KEY'),
  awsSessionToken: secret('awsSessionToken', 'AWS_SESSION_TOKEN'),
  awsRegion: {
    key: 'awsRegion',
    env: 'AWS_REGION',
    help: 'region of s3:// URLs; S3 tells where a bucket is in another one',
    accepted: 'a region of lower-case letters, digits and dashes',
    example: 'eu-central-1',
    fallback: () => 'us-east-1',
    read: (text) => (/^[a-z0-9-]{1,40}$/.test(text) ? text : undefined),
  },
  awsEndpointUrl: {
    ...url('awsEndpointUrl', 'AWS_ENDPOINT_URL', 'S3-compatible store of s3:// URLs'),
    example: 'https://minio:9000',
    otherwise: 'that of AWS in the region',
    accepted: 'an http or https URL',
    isUrl: true,
    fallback: () => undefined,
    read(text) {
      const isWeb = URL.canParse(text) && /^https?:\/\//.test(text);
      return isWeb && !METADATA.test(new URL(text).hostname) ? text.replace(/\/+$/, '') : undefined;
    },
  },
  awsStsUrl: {
    ...url('awsStsUrl', 'AWS_ENDPOINT_URL_STS', 'who changes a web identity token for keys'),
    example: 'https://sts.eu-central-1.amazonaws.com',
    otherwise: 'AWS_ENDPOINT_URL, else STS in the region',
    fallback: () => undefined,
  },
  awsRoleArn: {
    ...optional('awsRoleArn', 'AWS_ROLE_ARN', 'role that a web identity token is changed for'),
    accepted: 'an ARN of a role',
    example: 'arn:aws:iam::123456789012:role/prorata-bills',
    otherwise: 'none; EKS sets it',
    read: (text) =>
      /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,600}$/.test(text) ? text : undefined,
  },
  awsWebIdentityTokenFile: {
    ...path('awsWebIdentityTokenFile', 'AWS_WEB_IDENTITY_TOKEN_FILE', 'a file with that token'),
    example: '/var/run/secrets/eks.amazonaws.com/serviceaccount/token',
    otherwise: 'none; EKS sets it',
  },
  awsRoleSessionName: {
    key: 'awsRoleSessionName',
    env: 'AWS_ROLE_SESSION_NAME',
    help: 'name of the sessions of that role, as CloudTrail shows it',
    accepted: '2 to 64 letters, digits and signs of +=,.@_-',
    example: 'prorata',
    fallback: () => 'prorata',
    read: (text) => (/^[\w+=,.@-]{2,64}$/.test(text) ? text : undefined),
  },
  awsContainerUrl: {
    ...url(
      'awsContainerUrl',
      'AWS_CONTAINER_CREDENTIALS_FULL_URI',
      'agent of EKS Pod Identity, which gives keys',
    ),
    example: 'http://169.254.170.23/v1/credentials',
    otherwise: 'none; EKS sets it',
    fallback: () => undefined,
    read: (text) => webUrl(text),
  },
  awsContainerTokenFile: {
    ...path(
      'awsContainerTokenFile',
      'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE',
      'a file with the token for that agent',
    ),
    example: '/var/run/secrets/pods.eks.amazonaws.com/serviceaccount/eks-pod-identity-token',
    otherwise: 'none; EKS sets it',
  },
  awsMetadataUrl: {
    ...url(
      'awsMetadataUrl',
      'AWS_EC2_METADATA_SERVICE_ENDPOINT',
      'metadata of the instance (IMDSv2), which gives keys where nothing else does',
    ),
    example: 'http://169.254.169.254',
    otherwise: 'http://169.254.169.254 where AWS_ENDPOINT_URL is not set',
    fallback: () => undefined,
    read: (text) => webUrl(text),
  },
  isAwsMetadataOff: {
    key: 'awsMetadataDisabled',
    env: 'AWS_EC2_METADATA_DISABLED',
    help: 'whether the metadata of the instance is left alone',
    accepted: 'a boolean: true, t, 1, false, f or 0',
    example: 'true',
    fallback: () => false,
    read: readBoolean,
  },
  googleCredentialsFile: {
    ...path(
      'googleCredentialsFile',
      'GOOGLE_APPLICATION_CREDENTIALS',
      'a JSON file of a service account or of workload identity federation, for gs:// URLs',
    ),
    example: '/etc/google/credentials.json',
    otherwise: 'none, the metadata server is asked',
  },
  googleMetadataHost: {
    key: 'googleMetadataHost',
    env: 'GCE_METADATA_HOST',
    help: 'metadata server, which gives tokens for gs:// URLs',
    accepted: 'a host, with a port or without',
    example: 'metadata.google.internal',
    fallback: () => 'metadata.google.internal',
    read: (text) => (/^[a-z0-9.-]{1,253}(:\d{1,5})?$/i.test(text) ? text : undefined),
  },
  gcsUrl: {
    ...url('gcsUrl', 'GCS_ENDPOINT_URL', 'store of gs:// URLs'),
    example: 'https://storage.googleapis.com',
    fallback: () => 'https://storage.googleapis.com',
  },
  azureClientId: {
    ...optional('azureClientId', 'AZURE_CLIENT_ID', 'identity that reads azblob:// URLs'),
    accepted: 'a GUID',
    example: '00000000-0000-0000-0000-000000000000',
    otherwise: 'none; AKS sets it',
    read: (text) => (/^[0-9a-f-]{36}$/i.test(text) ? text : undefined),
  },
  azureTenantId: {
    ...optional('azureTenantId', 'AZURE_TENANT_ID', 'tenant of that identity'),
    accepted: 'a GUID or a domain',
    example: '00000000-0000-0000-0000-000000000000',
    otherwise: 'none; AKS sets it',
    read: (text) => (/^[a-z0-9.-]{1,253}$/i.test(text) ? text : undefined),
  },
  azureTokenFile: {
    ...path(
      'azureTokenFile',
      'AZURE_FEDERATED_TOKEN_FILE',
      'a file with the token of the service account, for workload identity',
    ),
    example: '/var/run/secrets/azure/tokens/azure-identity-token',
    otherwise: 'none, the managed identity of the node is asked; AKS sets it',
  },
  azureAuthority: {
    ...url('azureAuthority', 'AZURE_AUTHORITY_HOST', 'Microsoft Entra, which changes that token'),
    example: 'https://login.microsoftonline.com',
    fallback: () => 'https://login.microsoftonline.com',
  },
  azureMetadataUrl: {
    ...url(
      'azureMetadataUrl',
      'AZURE_POD_IDENTITY_AUTHORITY_HOST',
      'metadata of the node, which gives tokens of its managed identity',
    ),
    example: 'http://169.254.169.254',
    fallback: () => 'http://169.254.169.254',
    read: (text) => webUrl(text),
  },
  azblobUrl: {
    ...url('azblobUrl', 'AZBLOB_ENDPOINT_URL', 'store of azblob:// URLs, {account} for its name'),
    example: 'https://{account}.blob.core.chinacloudapi.cn',
    fallback: () => 'https://{account}.blob.core.windows.net',
    read: (text) => {
      const isRead = storeUrl(text.replaceAll('{account}', 'account')) !== undefined;
      return isRead ? text.replace(/\/+$/, '') : undefined;
    },
  },
};

function secret(key: string, env: string): Setting<string | undefined> {
  return {
    ...optional(key, env, `as the AWS command line has it, for s3:// URLs`),
    example: 'AKIA…',
    isSecret: true,
    read: (text) => (/^[\x21-\x7e]{1,4096}$/.test(text) ? text : undefined),
  };
}

function optional(key: string, env: string, help: string): Setting<string | undefined> {
  return {
    key,
    env,
    help,
    accepted: 'visible ASCII',
    example: '',
    otherwise: 'none',
    fallback: () => undefined,
    read: (text) => (WORD.test(text) ? text : undefined),
  };
}

function path(key: string, env: string, help: string): Setting<string | undefined> {
  return {
    ...optional(key, env, help),
    accepted: 'a path',
    read: (text) => (text.includes('\0') ? undefined : text),
  };
}

/** The URL of a store, or of who changes tokens: never a host that gives credentials. */
function url(
  key: string,
  env: string,
  help: string,
): Omit<Setting<never>, 'fallback' | 'read'> & { read(text: string): string | undefined } {
  const accepted = 'an http or https URL without credentials and query';
  return { key, env, help, accepted, example: '', read: storeUrl };
}

function storeUrl(text: string): string | undefined {
  const read = webUrl(text);
  return read !== undefined && METADATA.test(new URL(read).hostname) ? undefined : read;
}

/** Nothing in it is secret. */
function webUrl(text: string): string | undefined {
  if (!URL.canParse(text) || !/^https?:\/\/[^?#@\\]*$/.test(text)) return undefined;
  return text.replace(/\/+$/, '');
}

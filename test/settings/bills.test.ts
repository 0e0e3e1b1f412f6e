/** Settings of bills that the server fetches: their places and currencies. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BILL_SETTINGS } from '../../src/settings/bills.ts';
import { BUCKET_SETTINGS } from '../../src/settings/buckets.ts';

type Read = readonly (readonly [place: string, value: unknown])[] | undefined;

const CURRENCIES: readonly (readonly [text: string, read: Read])[] = [
  ['cloud/aws-main=EUR', [['cloud/aws-main', 'EUR']]],
  [' cloud/a=eur  external/b=Gbp\n', [['cloud/a', 'EUR'], ['external/b', 'GBP']]], // prettier-ignore
  ['', []],
  ['EUR', undefined],
  ['cloud/a=EURO', undefined],
  ['cloud/a=', undefined],
  ['bills/a=EUR', undefined],
  ['cloud/A=EUR', undefined],
  ['cloud/a=EUR cloud/a=USD', undefined],
  ['cloud/a=EUR,cloud/b=EUR', undefined],
];
for (const [text, read] of CURRENCIES)
  test(`currencies '${text}' are ${read ? 'read' : 'refused'}`, () => {
    const found = BILL_SETTINGS.billCurrencies.read(text);
    assert.deepEqual(found && [...found], read);
  });

const URLS: readonly (readonly [text: string, read: Read])[] = [
  ['cloud/a=s3://bucket/focus/', [['cloud/a', ['s3://bucket/focus/']]]],
  ['cloud/a=https://x/1 cloud/a=https://x/2', [['cloud/a', ['https://x/1', 'https://x/2']]]],
  ['cloud/a=gs://bucket/focus cloud/a=azblob://account/box', [['cloud/a', ['gs://bucket/focus', 'azblob://account/box']]]],
  ['cloud/a=ftp://x/1', undefined],
  ['cloud/a=azblob://account/', undefined],
  ['cloud/a=s3://user:secret@bucket/', undefined],
  ['https://x/1', undefined],
]; // prettier-ignore
for (const [text, read] of URLS)
  test(`URLs '${text}' are ${read ? 'read' : 'refused'}`, () => {
    const found = BILL_SETTINGS.billUrls.read(text);
    assert.deepEqual(found && [...found], read);
  });

const STORES: readonly (readonly [text: string, read: string | undefined])[] = [
  ['https://minio:9000/', 'https://minio:9000'],
  ['http://10.0.0.1:9000', 'http://10.0.0.1:9000'],
  ['http://169.254.169.254/', undefined],
  ['http://169.254.170.23', undefined],
  ['http://[fd00:ec2::254]/', undefined],
  ['http://2852039166/', undefined],
  ['https://metadata.google.internal', undefined],
  ['s3://bucket', undefined],
];
for (const [text, read] of STORES)
  test(`S-11: a store at ${text} is ${read === undefined ? 'refused' : 'read'}`, () => {
    const { awsEndpointUrl, gcsUrl, azblobUrl, azureAuthority, awsStsUrl } = BUCKET_SETTINGS;
    for (const row of [awsEndpointUrl, gcsUrl, azblobUrl, azureAuthority, awsStsUrl])
      assert.equal(row.read(text), read);
  });

const NAMES: readonly (readonly [name: keyof typeof BUCKET_SETTINGS, text: string, isRead: boolean])[] = [
  ['awsRoleArn', 'arn:aws-cn:iam::123456789012:role/team/a', true],
  ['awsRoleArn', 'role/a', false],
  ['awsRoleSessionName', 'a b', false],
  ['awsContainerUrl', 'http://169.254.170.23/v1/credentials', true],
  ['googleMetadataHost', '169.254.169.254:988', true],
  ['googleMetadataHost', 'a/b', false],
  ['azureClientId', '11111111-2222-3333-4444-555555555555', true],
  ['azureClientId', 'me', false],
  ['azureTenantId', 'example.onmicrosoft.com', true],
  ['azureTenantId', 'a/../b', false],
  ['gcsUrl', 'https://user:secret@example.com', false],
  ['azblobUrl', 'https://{account}.example.com/?sig=secret', false],
  ['azblobUrl', 'https://{account}.blob.core.chinacloudapi.cn', true],
]; // prettier-ignore
for (const [name, text, isRead] of NAMES)
  test(`${name} '${text}' is ${isRead ? 'read' : 'refused'}`, () => {
    assert.equal(BUCKET_SETTINGS[name].read(text), isRead ? text : undefined);
  });

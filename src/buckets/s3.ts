/** Buckets of S3 and of stores like it (https://docs.aws.amazon.com/AmazonS3/latest/API/). */
import type { AwsIdentity, AwsOptions } from './aws-credentials.ts';
import type { Refusal } from './bodies.ts';
import { decoded } from './bucket-url.ts';
import {
  headOf,
  listed,
  type Bucket,
  type Condition,
  type Listing,
  type StoredObject,
} from './bucket.ts';
import { CloudBucket, type Ask, type Dialect } from './cloud-bucket.ts';
import { unread, wholeAnswer, type Answer, type Outside, type Heads } from './exchange.ts';
import { S3Requests, type S3Wish } from './s3-requests.ts';
import { elements, textOf } from './xml.ts';

export function s3Bucket(
  bucket: string,
  options: AwsOptions,
  identity: AwsIdentity,
  outside: Outside,
): Bucket {
  return new CloudBucket(new S3(new S3Requests(bucket, options, identity, outside), outside));
}

/** Two conditional writes of one key at a time: one of them is to be tried again. */
const CONFLICT = 409;

class S3 implements Dialect {
  readonly #requests: S3Requests;
  readonly #outside: Outside;

  constructor(requests: S3Requests, outside: Outside) {
    this.#requests = requests;
    this.#outside = outside;
  }

  get name(): string {
    return this.#requests.name;
  }

  list(prefix: string, isWanted: (key: string) => boolean, signal: AbortSignal): Promise<Listing> {
    return listed(`${this.name}/${prefix}`, isWanted, this.#outside, async (token) => {
      const more: Record<string, string> = token === '' ? {} : { 'continuation-token': token };
      const query = { 'list-type': '2', 'encoding-type': 'url', prefix, ...more };
      const wish: S3Wish = { method: 'GET', query, permission: 's3:ListBucket' };
      const { headers, text } = await this.#requests.answered(wish, signal, wholeAnswer);
      const isEncoded = textOf(text, 'EncodingType') === 'url';
      const objects = elements(text, 'Contents').map((content) => objectOf(content, isEncoded));
      return { objects, headers, next: textOf(text, 'NextContinuationToken') ?? '' };
    });
  }

  async find(key: string, signal: AbortSignal): Promise<Listing> {
    const wish: S3Wish = { method: 'HEAD', key, permission: 's3:GetObject' };
    const { headers } = await this.#requests.answered(wish, signal, unread);
    return headOf(key, this.versionOf(headers), headers, this.#outside.nowMs());
  }

  reading(key: string, version: string, headers: Readonly<Record<string, string>> = {}): Ask {
    // Stores without tags have no versions that could be asked for.
    const matching = version.startsWith('"') ? { 'if-match': version } : {};
    const permission = 's3:GetObject';
    return this.#requests.ask({
      method: 'GET',
      key,
      headers: { ...headers, ...matching },
      permission,
    });
  }

  writing(key: string, body: Uint8Array<ArrayBuffer>, condition: Condition): Ask {
    const headers = { 'content-type': 'application/octet-stream', ...headersOf(condition) };
    const permission = 's3:PutObject';
    return this.#requests.ask(
      { method: 'PUT', key, body, headers, permission },
      { passing: [CONFLICT] },
    );
  }

  removing(key: string): Ask {
    return this.#requests.ask({ method: 'DELETE', key, permission: 's3:DeleteObject' });
  }

  versionOf(headers: Heads): string {
    return headers.get('etag') ?? headers.get('last-modified') ?? '';
  }

  versionIn({ headers }: Answer): string {
    return this.versionOf(headers);
  }

  isMissing({ status, code }: Refusal): boolean {
    return status === 404 && code !== 'NoSuchBucket';
  }

  /** A version that is no longer there is another one. */
  isNotSo(refusal: Refusal): boolean {
    return refusal.status === 412 || this.isMissing(refusal);
  }
}

function headersOf(condition: Condition): Readonly<Record<string, string>> {
  if (condition === 'absent') return { 'if-none-match': '*' };
  return condition === 'none' ? {} : { 'if-match': condition.version };
}

function objectOf(content: string, isEncoded: boolean): StoredObject {
  const written = textOf(content, 'Key') ?? '';
  return {
    // An empty key is no file.
    key: isEncoded ? (decoded(written.replaceAll('+', '%20')) ?? '') : written,
    version: textOf(content, 'ETag') ?? textOf(content, 'LastModified') ?? '',
    bytes: Number(textOf(content, 'Size') ?? Number.NaN),
    changedMs: Date.parse(textOf(content, 'LastModified') ?? ''),
  };
}

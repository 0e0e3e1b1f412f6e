/** Buckets of S3 and of stores like it (https://docs.aws.amazon.com/AmazonS3/latest/API/). */
import type { AwsIdentity, AwsOptions } from './aws-credentials.ts';
import {
  isRefusal,
  rangeHeader,
  readObject,
  readPart,
  transferMs,
  writtenIf,
  type Refusal,
} from './bodies.ts';
import { decoded } from './bucket-url.ts';
import {
  listed,
  type Bucket,
  type Condition,
  type Fetched,
  type Listing,
  type StoredObject,
} from './bucket.ts';
import { timeOf, wholeAnswer, type Outside } from './exchange.ts';
import { S3Requests, type S3Wish } from './s3-requests.ts';
import { elements, textOf } from './xml.ts';

export function s3Bucket(
  bucket: string,
  options: AwsOptions,
  identity: AwsIdentity,
  outside: Outside,
): Bucket {
  return new S3Bucket(new S3Requests(bucket, options, identity, outside), outside);
}

/** Two conditional writes of one key at a time: one of them is to be tried again. */
const CONFLICT = 409;

class S3Bucket implements Bucket {
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
    const { headers } = await this.#requests.answered(wish, signal, (head) =>
      Promise.resolve(head),
    );
    const object = {
      key,
      version: versionOf(headers),
      bytes: Number(headers.get('content-length') ?? Number.NaN),
      changedMs: Date.parse(headers.get('last-modified') ?? ''),
    };
    return { objects: [object], nowMs: timeOf(headers, this.#outside.nowMs()) };
  }

  read({ key, version }: StoredObject, signal: AbortSignal): Promise<Response> {
    const wish: S3Wish = {
      method: 'GET',
      key,
      headers: matching(version),
      permission: 's3:GetObject',
    };
    return this.#requests.answered(wish, signal, (response) => Promise.resolve(response));
  }

  async fetch(key: string, signal: AbortSignal): Promise<Fetched | undefined> {
    const wish: S3Wish = { method: 'GET', key, permission: 's3:GetObject', isAnswer: isMissing };
    const read = await readObject(`${this.name}/${key}`, signal, (either) =>
      this.#requests.asked(wish, { signal: either }),
    );
    if (read === undefined) return undefined;
    const { bytes, headers } = read;
    const changedMs = Date.parse(headers.get('last-modified') ?? '');
    return { bytes, version: versionOf(headers), changedMs };
  }

  readRange(
    { key, version }: Pick<StoredObject, 'key' | 'version'>,
    part: { readonly at: number; readonly bytes: number },
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const wish: S3Wish = {
      method: 'GET',
      key,
      headers: { ...rangeHeader(part.at, part.bytes), ...matching(version) },
      permission: 's3:GetObject',
      isAnswer: (refusal) => isMissing(refusal) || refusal.status === 416,
    };
    return readPart(`${this.name}/${key}`, part, signal, (either) =>
      this.#requests.asked(wish, { signal: either }),
    );
  }

  write(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    condition: Condition,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const wish: S3Wish = {
      method: 'PUT',
      key,
      body: bytes,
      headers: { 'content-type': 'application/octet-stream', ...headersOf(condition) },
      permission: 's3:PutObject',
      isAnswer: (refusal) => condition !== 'none' && isNotSo(refusal),
    };
    const options = { signal, timeoutMs: transferMs(bytes.length), passing: [CONFLICT] };
    return writtenIf(
      bytes,
      (onDoubt) => this.#requests.asked(wish, { ...options, onDoubt }),
      async ({ headers, body }) => {
        await body?.cancel();
        return versionOf(headers);
      },
      () => this.fetch(key, signal),
    );
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    const permission = 's3:DeleteObject';
    const wish: S3Wish = { method: 'DELETE', key, permission, isAnswer: isMissing };
    const reply = await this.#requests.asked(wish, { signal });
    if (!isRefusal(reply)) await reply.body?.cancel();
  }
}

function isMissing({ status, code }: Refusal): boolean {
  return status === 404 && code !== 'NoSuchBucket';
}

/** A version that is no longer there is another one. */
function isNotSo(refusal: Refusal): boolean {
  return refusal.status === 412 || isMissing(refusal);
}

function headersOf(condition: Condition): Readonly<Record<string, string>> {
  if (condition === 'absent') return { 'if-none-match': '*' };
  return condition === 'none' ? {} : { 'if-match': condition.version };
}

/** Stores without tags have no versions that could be asked for. */
function matching(version: string): Readonly<Record<string, string>> {
  return version.startsWith('"') ? { 'if-match': version } : {};
}

function versionOf(headers: Headers): string {
  return headers.get('etag') ?? headers.get('last-modified') ?? '';
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

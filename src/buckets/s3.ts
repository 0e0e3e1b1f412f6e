/** Buckets of S3 and of stores like it (https://docs.aws.amazon.com/AmazonS3/latest/API/). */
import { Unavailable } from '../query/index.ts';
import { awsDomain, type AwsIdentity, type AwsOptions } from './aws-credentials.ts';
import { decoded } from './bucket-url.ts';
import {
  BUCKET_HINT,
  credentialsFor,
  listed,
  type Bucket,
  type Listing,
  type StoredObject,
} from './bucket.ts';
import {
  clockSkew,
  exchange,
  reasonOf,
  timeOf,
  wholeAnswer,
  type Answer,
  type Call,
  type Outside,
} from './exchange.ts';
import { codeIn } from './json.ts';
import { signed } from './sigv4.ts';
import { elements, textOf } from './xml.ts';

interface Wish {
  readonly method: 'GET' | 'HEAD';
  /** Undefined: the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the caller needs to be permitted. */
  readonly permission: string;
}

const REGION = /^[a-z0-9-]{1,40}$/;
/** Codes of credentials that ended: others are fetched. */
const ENDED: readonly string[] = ['ExpiredToken', 'TokenRefreshRequired', 'InvalidToken'];

export function s3Bucket(
  bucket: string,
  options: AwsOptions,
  identity: AwsIdentity,
  outside: Outside,
): Bucket {
  return new S3Bucket(bucket, options, identity, outside);
}

class S3Bucket implements Bucket {
  readonly name: string;
  readonly #bucket: string;
  readonly #identity: AwsIdentity;
  readonly #outside: Outside;
  readonly #endpoint: string | undefined;
  #region: string;

  constructor(bucket: string, options: AwsOptions, identity: AwsIdentity, outside: Outside) {
    this.name = `s3://${bucket}`;
    this.#bucket = bucket;
    this.#identity = identity;
    this.#outside = outside;
    this.#endpoint = options.endpoint;
    this.#region = options.region;
  }

  list(prefix: string, isWanted: (key: string) => boolean, signal: AbortSignal): Promise<Listing> {
    const permission = `s3:ListBucket on arn:aws:s3:::${this.#bucket}`;
    return listed(`${this.name}/${prefix}`, isWanted, this.#outside, async (token) => {
      const more: Record<string, string> = token === '' ? {} : { 'continuation-token': token };
      const query = { 'list-type': '2', 'encoding-type': 'url', prefix, ...more };
      const wish: Wish = { method: 'GET', query, permission };
      const { headers, text } = await this.#answered(wish, signal, wholeAnswer);
      const isEncoded = textOf(text, 'EncodingType') === 'url';
      const objects = elements(text, 'Contents').map((content) => objectOf(content, isEncoded));
      return { objects, headers, next: textOf(text, 'NextContinuationToken') ?? '' };
    });
  }

  async find(key: string, signal: AbortSignal): Promise<Listing> {
    const permission = this.#readPermission(key);
    const wish: Wish = { method: 'HEAD', key, permission };
    const { headers } = await this.#answered(wish, signal, (head) => Promise.resolve(head));
    const object = {
      key,
      version: headers.get('etag') ?? headers.get('last-modified') ?? '',
      bytes: Number(headers.get('content-length') ?? Number.NaN),
      changedMs: Date.parse(headers.get('last-modified') ?? ''),
    };
    return { objects: [object], nowMs: timeOf(headers, this.#outside.nowMs()) };
  }

  read({ key, version }: StoredObject, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = version.startsWith('"') ? { 'if-match': version } : {};
    const wish: Wish = { method: 'GET', key, headers, permission: this.#readPermission(key) };
    return this.#answered(wish, signal, (response) => Promise.resolve(response));
  }

  #at({ key, query }: Wish): string {
    return `${this.name}/${key ?? query?.['prefix'] ?? ''}`;
  }

  #readPermission(key: string): string {
    return `s3:GetObject on arn:aws:s3:::${this.#bucket}/${key}`;
  }

  /** Once more with another region, where S3 names it, and with new keys, where they ended. */
  async #answered<Result>(
    wish: Wish,
    signal: AbortSignal,
    take: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const at = this.#at(wish);
    try {
      for (let tried = 1; ; tried++) {
        const response = await exchange(this.#outside, () => this.#call(wish, signal), { signal });
        if (response.ok) return await take(response);
        const refusal = await wholeAnswer(response);
        const code = codeIn(textOf(refusal.text, 'Code'));
        if (tried <= 2 && this.#movesTo(refusal)) continue;
        if (tried <= 2 && ENDED.includes(code)) {
          this.#identity.forget();
          continue;
        }
        throw this.#refused(at, wish, refusal, code);
      }
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      throw new Unavailable(`cannot read ${at}: ${reasonOf(error).message}`, { cause: error });
    }
  }

  async #call(wish: Wish, signal: AbortSignal): Promise<Call> {
    const { method, key, query = {}, headers } = wish;
    const region = this.#region;
    const endpoint = this.#endpoint ?? `https://s3.${region}.${awsDomain(region)}`;
    // Names of buckets are in the path, which every store understands.
    const path = [this.#bucket, ...(key === undefined ? [] : key.split('/'))];
    const url = new URL(`${endpoint}/${path.map(encodeURIComponent).join('/')}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const keys = await credentialsFor(this.#at(wish), this.#identity.keys(signal));
    const own =
      keys === undefined ? {} : signed(method, url, { ...keys, region }, this.#outside.nowMs());
    return { method, url, headers: { ...own, ...headers } };
  }

  /** Whether S3 says that the bucket is in another region, which is then asked. Its Location is not read. */
  #movesTo({ headers, text }: Answer): boolean {
    const region = headers.get('x-amz-bucket-region') ?? textOf(text, 'Region') ?? '';
    if (!REGION.test(region) || region === this.#region) return false;
    this.#region = region;
    return true;
  }

  #refused(at: string, wish: Wish, answer: Answer, code: string): Unavailable {
    const { status } = answer;
    const said = code === '' ? `${status}` : `${status} ${code}`;
    const why = this.#why(status, code, wish.permission);
    const skew = clockSkew(answer, this.#outside.nowMs());
    return new Unavailable(`cannot read ${at}: ${said}${why}${skew}`, {
      hint: BUCKET_HINT,
    });
  }

  #why(status: number, code: string, permission: string): string {
    const who = this.#identity.name;
    if (code === 'RequestTimeTooSkewed') return '';
    if (code === 'InvalidAccessKeyId') return `: the store does not know ${who}`;
    if (code === 'SignatureDoesNotMatch') return `: the secret does not belong to ${who}`;
    if (status === 403) return `: ${who} needs ${permission}`;
    if (status === 404 && code === 'NoSuchBucket') return ': there is no such bucket';
    if (status === 404) return ': there is no such file';
    if (status === 412) return ': it was written while it was read; it is read again later';
    if (status >= 300 && status < 400) return ': redirects are not followed';
    return '';
  }
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

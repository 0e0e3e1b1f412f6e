/** Requests to one bucket of S3: signed, sent to its region, and refused in words. */
import type { Unavailable } from '../query/index.ts';
import { awsDomain, type AwsIdentity, type AwsOptions } from './aws-credentials.ts';
import type { Refusal, Reply } from './bodies.ts';
import { credentialsFor } from './bucket.ts';
import { answerIn, type Ask } from './cloud-bucket.ts';
import {
  exchange,
  wholeAnswer,
  type Answer,
  type Call,
  type ExchangeOptions,
  type Outside,
  type Received,
} from './exchange.ts';
import { codeIn } from './json.ts';
import { inWords, refusedAs } from './refusals.ts';
import { signed } from './sigv4.ts';
import { textOf } from './xml.ts';

export interface S3Wish {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Undefined: the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** What the caller needs to be permitted: `s3:GetObject`. */
  readonly permission: string;
}

const REGION = /^[a-z0-9-]{1,40}$/;
/** Codes of credentials that ended: others are fetched. */
const ENDED: readonly string[] = ['ExpiredToken', 'TokenRefreshRequired', 'InvalidToken'];

export class S3Requests {
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

  /** @throws {Unavailable} where it is refused */
  async answered<Result>(
    wish: S3Wish,
    signal: AbortSignal,
    take: (response: Received) => Promise<Result>,
  ): Promise<Result> {
    return await inWords(wish.method, this.#at(wish), async () => {
      return await take(answerIn(await this.#reply(wish, { signal })));
    });
  }

  /** @param own of every time that it is asked, beside those of the caller */
  ask(wish: S3Wish, own: Partial<ExchangeOptions> = {}): Ask {
    return (options, isAnswer) =>
      inWords(wish.method, this.#at(wish), () =>
        this.#reply(wish, { ...own, ...options }, isAnswer),
      );
  }

  /** Once more with another region, where S3 names it, and with new keys, where they ended. */
  async #reply(
    wish: S3Wish,
    options: ExchangeOptions,
    isAnswer?: (refusal: Refusal) => boolean,
  ): Promise<Reply> {
    for (let tried = 1; ; tried++) {
      const call = (): Promise<Call> => this.#call(wish, options.signal);
      const response = await exchange(this.#outside, call, options);
      if (response.isOk) return response;
      const refusal = await wholeAnswer(response);
      const code = codeIn(textOf(refusal.text, 'Code'));
      if (tried <= 2 && this.#movesTo(refusal)) continue;
      if (tried <= 2 && ENDED.includes(code)) {
        this.#identity.forget();
        continue;
      }
      const said = { status: refusal.status, code };
      if (isAnswer?.(said) === true) return said;
      throw this.#refused(wish, refusal, code);
    }
  }

  #at({ key, query }: S3Wish): string {
    return `${this.name}/${key ?? query?.['prefix'] ?? ''}`;
  }

  async #call(wish: S3Wish, signal: AbortSignal): Promise<Call> {
    const { method, key, query = {}, headers, body } = wish;
    const region = this.#region;
    const endpoint = this.#endpoint ?? `https://s3.${region}.${awsDomain(region)}`;
    // Names of buckets are in the path, which every store understands.
    const path = [this.#bucket, ...(key === undefined ? [] : key.split('/'))];
    const url = new URL(`${endpoint}/${path.map(encodeURIComponent).join('/')}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const keys = await credentialsFor(this.#at(wish), this.#identity.keys(signal));
    const nowMs = this.#outside.nowMs();
    const own = keys === undefined ? {} : signed(method, url, { ...keys, region }, nowMs, body);
    return {
      method,
      url,
      headers: { ...own, ...headers },
      ...(body === undefined ? {} : { body }),
    };
  }

  /** Whether S3 says that the bucket is in another region, which is then asked. Its Location is not read. */
  #movesTo({ headers, text }: Answer): boolean {
    const region = headers.get('x-amz-bucket-region') ?? textOf(text, 'Region') ?? '';
    if (!REGION.test(region) || region === this.#region) return false;
    this.#region = region;
    return true;
  }

  #refused(wish: S3Wish, answer: Answer, code: string): Unavailable {
    const why = this.#why(answer.status, code, wish);
    const what = { method: wish.method, at: this.#at(wish) };
    return refusedAs(what, answer, { code, why }, this.#outside.nowMs());
  }

  #why(status: number, code: string, { key, permission }: S3Wish): string {
    const who = this.#identity.name;
    if (code === 'RequestTimeTooSkewed') return '';
    if (code === 'InvalidAccessKeyId') return `: the store does not know ${who}`;
    if (code === 'SignatureDoesNotMatch') return `: the secret does not belong to ${who}`;
    const at = `arn:aws:s3:::${this.#bucket}${key === undefined ? '' : `/${key}`}`;
    if (status === 403) return `: ${who} needs ${permission} on ${at}`;
    if (status === 404 && code === 'NoSuchBucket') return ': there is no such bucket';
    return status === 404 ? ': there is no such file' : '';
  }
}

/** Buckets that are asked by bearer tokens: Google Cloud Storage and Azure Blob Storage. */
import type { Unavailable } from '../query/index.ts';
import type { BearerIdentity } from './bearer-tokens.ts';
import { credentialsFor } from './bucket.ts';
import { answerIn, type Ask } from './cloud-bucket.ts';
import {
  exchange,
  wholeAnswer,
  type Answer,
  type Call,
  type Outside,
  type Received,
} from './exchange.ts';
import { inWords, refusedAs } from './refusals.ts';

export interface Wish {
  readonly method: Call['method'];
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** The place, as it is told. */
  readonly at: string;
  /** What the caller needs to be permitted. */
  readonly permission: string;
  /** What a 404 says. */
  readonly missing: string;
}

/** Who asks a cloud, and how it says what it refuses. */
export interface Asker {
  readonly identity: BearerIdentity;
  readonly outside: Outside;
  readonly codeOf: (refusal: Answer) => string;
}

/** @throws {Unavailable} with the status, and the permission that is missing; also where a body is cut off */
export async function answeredByBearer<Result>(
  asker: Asker,
  wish: Wish,
  signal: AbortSignal,
  take: (response: Received) => Promise<Result>,
): Promise<Result> {
  return await inWords(wish.method, wish.at, async () => {
    return await take(answerIn(await askedByBearer(asker, wish)({ signal })));
  });
}

/** Once more with another token, where the one that is kept is not taken. */
export function askedByBearer({ identity, outside, codeOf }: Asker, wish: Wish): Ask {
  const { method, url, at, body } = wish;
  return async (options, isAnswer) => {
    const call = async (): Promise<Call> => {
      const token = await credentialsFor(at, identity.token(options.signal));
      const headers = { ...wish.headers, authorization: `Bearer ${token}` };
      return { method, url, headers, ...(body === undefined ? {} : { body }) };
    };
    return await inWords(method, at, async () => {
      for (let tried = 1; ; tried++) {
        const response = await exchange(outside, call, options);
        if (response.isOk) return response;
        const refusal = await wholeAnswer(response);
        const said = { status: refusal.status, code: codeOf(refusal) };
        if (isAnswer?.(said) === true) return said;
        if (refusal.status !== 401 || tried > 1)
          throw refused(wish, said.code, identity, outside, refusal);
        identity.forget();
      }
    });
  };
}

function refused(
  wish: Wish,
  code: string,
  { name }: BearerIdentity,
  outside: Outside,
  refusal: Answer,
): Unavailable {
  const { status } = refusal;
  let why = '';
  if (status === 401 || status === 403) why = `: ${name} needs ${wish.permission}`;
  else if (status === 404) why = `: ${wish.missing}`;
  return refusedAs(wish, refusal, { code, why }, outside.nowMs());
}

/** Buckets that are asked by bearer tokens: Google Cloud Storage and Azure Blob Storage. */
import { Unavailable } from '../query/index.ts';
import type { BearerIdentity } from './bearer-tokens.ts';
import { isRefusal, type Refusal, type Reply } from './bodies.ts';
import { BUCKET_HINT, credentialsFor } from './bucket.ts';
import {
  clockSkew,
  exchange,
  reasonOf,
  wholeAnswer,
  type Answer,
  type Call,
  type ExchangeOptions,
  type Outside,
} from './exchange.ts';

export interface Wish {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
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

const VERBS = { GET: 'read', HEAD: 'read', POST: 'write', PUT: 'write', DELETE: 'remove' } as const;

/** @throws {Unavailable} with the status, and the permission that is missing */
export async function answeredByBearer(
  asker: Asker,
  wish: Wish,
  signal: AbortSignal,
): Promise<Response> {
  const reply = await askedByBearer(asker, wish, { signal });
  if (isRefusal(reply)) throw new Error(`BUG: ${reply.status} is no answer`);
  return reply;
}

/**
 * @param isAnswer which refusals are answers
 * @throws {Unavailable} with the status, and the permission that is missing
 */
export async function askedByBearer(
  { identity, outside, codeOf }: Asker,
  wish: Wish,
  options: ExchangeOptions,
  isAnswer: (refusal: Refusal) => boolean = () => false,
): Promise<Reply> {
  const { method, url, at, body } = wish;
  const call = async (): Promise<Call> => {
    const token = await credentialsFor(at, identity.token(options.signal));
    const headers = { ...wish.headers, authorization: `Bearer ${token}` };
    return { method, url, headers, ...(body === undefined ? {} : { body }) };
  };
  try {
    for (let tried = 1; ; tried++) {
      const response = await exchange(outside, call, options);
      if (response.ok) return response;
      const refusal = await wholeAnswer(response);
      const said = { status: refusal.status, code: codeOf(refusal) };
      if (isAnswer(said)) return said;
      if (refusal.status !== 401 || tried > 1)
        throw refused(wish, said.code, identity, outside, refusal);
      identity.forget();
    }
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    const message = `cannot ${VERBS[method]} ${at}: ${reasonOf(error).message}`;
    throw new Unavailable(message, { cause: error });
  }
}

function refused(
  { at, method, permission, missing }: Wish,
  code: string,
  { name }: BearerIdentity,
  outside: Outside,
  refusal: Answer,
): Unavailable {
  const { status } = refusal;
  const said = code === '' ? `${status}` : `${status} ${code}`;
  let why = '';
  if (status === 401 || status === 403) why = `: ${name} needs ${permission}`;
  else if (status === 404) why = `: ${missing}`;
  else if (status === 412 && method === 'GET')
    why = ': it was written while it was read; it is read again later';
  else if (status >= 300 && status < 400) why = ': redirects are not followed';
  const skew = clockSkew(refusal, outside.nowMs());
  return new Unavailable(`cannot ${VERBS[method]} ${at}: ${said}${why}${skew}`, {
    hint: BUCKET_HINT,
  });
}

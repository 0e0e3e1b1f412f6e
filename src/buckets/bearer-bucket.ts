/** Buckets that are read by bearer tokens: Google Cloud Storage and Azure Blob Storage. */
import { Unavailable } from '../query/index.ts';
import type { BearerIdentity } from './bearer-tokens.ts';
import { BUCKET_HINT, credentialsFor } from './bucket.ts';
import {
  clockSkew,
  exchange,
  reasonOf,
  wholeAnswer,
  type Answer,
  type Call,
  type Outside,
} from './exchange.ts';

export interface Wish {
  readonly method: 'GET' | 'HEAD';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** The place, as it is told. */
  readonly at: string;
  /** What the caller needs to be permitted. */
  readonly permission: string;
  /** What a 404 says. */
  readonly missing: string;
}

/** @throws {Unavailable} with the status, and the permission that is missing */
export async function answeredByBearer(
  wish: Wish,
  codeOf: (refusal: Answer) => string,
  identity: BearerIdentity,
  outside: Outside,
  signal: AbortSignal,
): Promise<Response> {
  const { method, url, at } = wish;
  const call = async (): Promise<Call> => {
    const token = await credentialsFor(at, identity.token(signal));
    const authorization = `Bearer ${token}`;
    return { method, url, headers: { ...wish.headers, authorization } };
  };
  try {
    for (let tried = 1; ; tried++) {
      const response = await exchange(outside, call, { signal });
      if (response.ok) return response;
      const refusal = await wholeAnswer(response);
      if (refusal.status !== 401 || tried > 1)
        throw refused(wish, codeOf(refusal), identity, outside, refusal);
      identity.forget();
    }
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    throw new Unavailable(`cannot read ${at}: ${reasonOf(error).message}`, { cause: error });
  }
}

function refused(
  { at, permission, missing }: Wish,
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
  else if (status === 412) why = ': it was written while it was read; it is read again later';
  else if (status >= 300 && status < 400) why = ': redirects are not followed';
  const skew = clockSkew(refusal, outside.nowMs());
  return new Unavailable(`cannot read ${at}: ${said}${why}${skew}`, { hint: BUCKET_HINT });
}

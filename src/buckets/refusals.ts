/** What a bucket is told to have refused, or not to have answered, in words. */
import { Unavailable } from '../query/index.ts';
import { BUCKET_HINT } from './bucket.ts';
import {
  AGAIN_SECONDS,
  clockSkew,
  isPassingStatus,
  reasonOf,
  type Answer,
  type Call,
} from './exchange.ts';

type Method = Call['method'];

const VERBS = { GET: 'read', HEAD: 'read', POST: 'write', PUT: 'write', DELETE: 'remove' } as const;
/** Bills and blocks are only read. */
const STORE_HINT = 'see docs/install/store-in-a-bucket.md';

/** @throws {Unavailable} for whatever else `work` throws, naming the place */
export async function inWords<Result>(
  method: Method,
  at: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    const message = `cannot ${VERBS[method]} ${at}: ${reasonOf(error).message}`;
    throw new Unavailable(message, { retryAfterSeconds: AGAIN_SECONDS, cause: error });
  }
}

/**
 * @param code of the store, which may be shown
 * @param why begins with a colon; empty where the status alone tells it
 */
export function refusedAs(
  { method, at }: { readonly method: Method; readonly at: string },
  answer: Answer,
  { code, why }: { readonly code: string; readonly why: string },
  nowMs: number,
): Unavailable {
  const { status } = answer;
  const said = code === '' ? `${status}` : `${status} ${code}`;
  const skew = clockSkew(answer, nowMs);
  return new Unavailable(
    `cannot ${VERBS[method]} ${at}: ${said}${why || whyOf(status, method)}${skew}`,
    {
      hint: VERBS[method] === 'read' ? BUCKET_HINT : STORE_HINT,
      retryAfterSeconds: isPassingStatus(status) ? AGAIN_SECONDS : undefined,
    },
  );
}

/** The same in all clouds. */
function whyOf(status: number, method: Method): string {
  if (status === 412 && method === 'GET')
    return ': it was written while it was read; it is read again later';
  return status >= 300 && status < 400 ? ': redirects are not followed' : '';
}

/**
 * Errors of ClickHouse in words. It answers with a text, also behind rows that it has sent already:
 *
 *   Code: 241, e.displayText() = DB::Exception: Memory limit (for query) exceeded: …, e.what() = …
 *   Code: 241. DB::Exception: Query memory limit exceeded: … (MEMORY_LIMIT_EXCEEDED) (version …)
 *
 * Codes: https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
 */
import { Unavailable } from '../../query/index.ts';

/** An error that the server told, by its number. */
export class Refused extends Unavailable {
  readonly code: number;
  constructor(message: string, code: number, hint: string | undefined) {
    const retryAfterSeconds = PASSING.includes(code) ? AGAIN_SECONDS : undefined;
    super(message, { hint, retryAfterSeconds });
    this.name = 'Refused';
    this.code = code;
  }
}

const LOGIN =
  'name the user in the URL, and give its password by STORE_PASSWORD or --store-password-file';
const RIGHTS =
  'the user needs SELECT, INSERT, CREATE, ALTER and DROP on the database; SELECT is enough to serve it';

const HINTS: Readonly<Record<number, string>> = {
  81: 'create the database, or let the user create it',
  159: 'the query took longer than max_execution_time of the user',
  164: 'the user may only read: this process cannot store anything',
  192: LOGIN,
  193: LOGIN,
  194: LOGIN,
  195: 'the server does not let this address in: see <networks> of the user',
  201: 'the quota of the user is used up',
  202: 'the server has max_concurrent_queries of its own',
  241: 'a query may not have so much memory: see max_memory_usage of the user and of the server',
  243: 'the disk of the server is full',
  252: 'the server merges parts too slowly: it takes no more until it has caught up',
  279: 'see whether all shards of the cluster run',
  285: 'too few replicas run: a change is to be on all of each shard',
  291: RIGHTS,
  497: RIGHTS,
  516: LOGIN,
};

/** These pass by themselves: too many queries, sockets, memory of all queries, parts, Keeper, shards and replicas away. */
const PASSING: readonly number[] = [
  202, 209, 210, 225, 241, 242, 252, 279, 285, 286, 289, 319, 999,
];

/** A server that this one asks in turn was away: no connection, none any more, or too late. */
export const LOST: readonly number[] = [32, 209, 210, 279];

/** After so long the same is asked again. */
export const AGAIN_SECONDS = 5;

/** Longer messages are cut: they repeat the query. */
const WORDS_MAX = 300;

/**
 * @param what the attempted work: `read the manifest`
 * @returns undefined where the text tells no error
 */
export function refusalIn(text: string, what: string): Refused | undefined {
  const found = /Code: (\d{1,6})[.,] (?:e\.displayText\(\) = )?\w+::\w*Exception: ([\s\S]*)/.exec(
    text,
  );
  const [, digits, rest = ''] = found ?? [];
  if (digits === undefined) return undefined;
  const words = rest.replace(/(, e\.what\(\) =| \(version )[\s\S]*$/, '').trim();
  const short = words.length > WORDS_MAX ? `${words.slice(0, WORDS_MAX)}…` : words;
  const code = Number(digits);
  return new Refused(`ClickHouse cannot ${what}: ${short} (code ${code})`, code, HINTS[code]);
}

/** Whether the same may succeed a little later. */
export function mayPass(error: unknown): boolean {
  return error instanceof Refused ? PASSING.includes(error.code) : error instanceof Unavailable;
}

/** Callers by tokens, of which a file has the digests; the file is read again when it changes. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Caller, HttpRequest, Identified, Identify } from '../http/index.ts';
import { Fault } from '../query/index.ts';
import { readTokens, type CheckFilter, type KnownToken } from './token-file.ts';

export interface TokenOptions {
  readonly path: string;
  readonly nowMs: () => number;
  readonly checkFilter: CheckFilter;
  /** Gets a sentence for each new file: how many tokens it has. */
  readonly onRead: (sentence: string) => void;
  /** Gets why a new file is not used. */
  readonly onBroken: (sentence: string) => void;
}

/** A file is looked at once in so long, when somebody asks. */
const LOOK_MS = 1000;

/** @throws {Fault} when the file cannot be used */
export function identifyByTokens(options: TokenOptions): Identify {
  const { path, nowMs, checkFilter, onRead, onBroken } = options;
  let seen = versionOf(path);
  let tokens = byDigest(readFile(path, checkFilter));
  let lookedMs = performance.now();
  const look = (): void => {
    if (performance.now() - lookedMs < LOOK_MS) return;
    lookedMs = performance.now();
    const version = versionOf(path);
    if (version === seen) return;
    seen = version;
    try {
      tokens = byDigest(readFile(path, checkFilter));
      onRead(`${tokens.size} tokens are read from ${path}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      onBroken(`${why}: the ${tokens.size} tokens that were read before stay`);
    }
  };
  return (request) => {
    const token = tokenOf(request);
    if (token === '') return UNSIGNED;
    look();
    const caller = callerOf(tokens, token);
    return caller === undefined ? UNKNOWN : unlessExpired(caller, nowMs());
  };
}

export const UNSIGNED: Identified = {
  why: 'who asks has to sign in',
  hint: 'send Authorization: Bearer TOKEN, or X-API-KEY: TOKEN',
  isRefused: false,
};

const UNKNOWN: Identified = {
  why: 'the token that came is not known here',
  hint: 'prorata token NAME --roles viewer makes one, and the line for the file of tokens',
  isRefused: true,
};

export function unlessExpired(caller: Caller, nowMs: number): Identified {
  if (caller.expiresMs === null || nowMs < caller.expiresMs) return caller;
  return { why: `the token of ${caller.name} has expired`, isRefused: true };
}

/** '' where the request has none. */
export function tokenOf(request: HttpRequest): string {
  const authorization = request.header('authorization');
  if (authorization === '') return request.header('x-api-key');
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '\0';
}

export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

type TokensByDigest = ReadonlyMap<string, KnownToken>;

function byDigest(tokens: readonly KnownToken[]): TokensByDigest {
  return new Map(tokens.map((known) => [keyOf(known.digest), known]));
}

/** How long a look-up takes may tell of digests that are near, but nobody can choose a token by its digest. */
function callerOf(tokens: TokensByDigest, token: string): Caller | undefined {
  const digest = digestOf(token);
  const found = tokens.get(keyOf(digest));
  return found !== undefined && timingSafeEqual(digest, found.digest) ? found.caller : undefined;
}

function keyOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('base64');
}

function readFile(path: string, checkFilter: CheckFilter): readonly KnownToken[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Fault(`cannot read the tokens: ${why}`, { parameter: '--tokens', cause });
  }
  return readTokens(text, path, checkFilter);
}

/** Another one when the file has changed. */
function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? 'none' : `${found.ino} ${found.size} ${found.mtimeNs}`;
}

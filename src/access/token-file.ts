/** Reads the file of tokens, a list in YAML: `- {name, sha256, roles, filter, idle, expires}`. It has no token, only digests. */
import { ROLES, type Caller, type Role } from '../http/index.ts';
import { Fault, nearest, parsePlacedYaml, readTimestamp, type PlacedYaml } from '../query/index.ts';

export interface KnownToken {
  /** SHA-256, 32 bytes. */
  readonly digest: Uint8Array;
  readonly caller: Caller;
}

const TOKENS_MAX = 1000;
const KEYS = ['name', 'sha256', 'roles', 'filter', 'idle', 'expires'] as const;
type Key = (typeof KEYS)[number];

/** An entry to show in hints; the digest is that of no token. */
const TOKEN_EXAMPLE: string = `- {name: ci, sha256: ${'0'.repeat(64)}, roles: [viewer]}`;

/** @throws {Fault} saying why a filter cannot be that of a caller */
export type CheckFilter = (text: string) => void;

/** @throws {Fault} naming the file, the line and the key, but never a digest */
export function readTokens(text: string, path: string, check: CheckFilter): KnownToken[] {
  const { value } = parsePlacedYaml(text, path);
  if (!Array.isArray(value)) {
    throw new Fault(`${path} is not a list of tokens`, { hint: `for example ${TOKEN_EXAMPLE}` });
  }
  const entries = value as readonly PlacedYaml[];
  if (entries.length > TOKENS_MAX) {
    throw new Fault(`${path} has ${entries.length} tokens, at most ${TOKENS_MAX} are accepted`);
  }
  const tokens = entries.map((entry) => readToken(entry, path, check));
  refuseTwice(entries, tokens, path);
  return tokens;
}

function readToken(entry: PlacedYaml, path: string, check: CheckFilter): KnownToken {
  const keys = keysOf(entry, path);
  const name = required(keys, 'name', entry, path, (text) =>
    /^\P{Cc}{1,100}$/u.test(text) ? text : undefined,
  );
  const digest = required(keys, 'sha256', entry, path, readDigest);
  const roles = rolesIn(keys.get('roles'), entry, path);
  const narrowed = keys.get('filter');
  const filter = narrowed ? filterIn(narrowed, path, check) : null;
  const seesIdle = idleIn(keys.get('idle'), filter, path);
  const expires = keys.get('expires');
  const expiresMs = expires ? readWith(expires, 'expires', path, readTimestamp) : null;
  const caller = { name, roles, filter, ...seesIdle, expiresMs, isSignedIn: true };
  return { digest, caller: Object.freeze<Caller>(caller) };
}

function keysOf({ line, value }: PlacedYaml, path: string): ReadonlyMap<Key, PlacedYaml> {
  if (!(value instanceof Map)) {
    throw new Fault(`${path}, line ${line}: a token has the keys ${KEYS.join(', ')}`, {
      hint: `for example ${TOKEN_EXAMPLE}`,
    });
  }
  const keys = new Map<Key, PlacedYaml>();
  for (const [name, own] of value as ReadonlyMap<string, PlacedYaml>) {
    const key = KEYS.find((each) => each === name);
    if (key === undefined) {
      const near = nearest(name, KEYS);
      throw new Fault(
        `${path}, line ${own.line}: '${name.slice(0, 40)}' is no key of a token: ${KEYS.join(', ')}`,
        near === undefined ? {} : { hint: `did you mean '${near}'?` },
      );
    }
    keys.set(key, own);
  }
  return keys;
}

const ACCEPTED: Readonly<Record<Key, string>> = {
  name: 'a name of at most 100 printable characters',
  sha256: 'the SHA-256 of a token as 64 hexadecimal digits',
  roles: `a list of ${ROLES.join(', ')}`,
  filter: 'a filter of rows, such as namespace:"web"',
  idle: 'true or false: whether idle and shared costs are shown',
  expires: 'an RFC 3339 timestamp, such as 2027-01-01T00:00:00Z',
};

function required<T>(
  keys: ReadonlyMap<Key, PlacedYaml>,
  key: Key,
  entry: PlacedYaml,
  path: string,
  read: (text: string) => T | undefined,
): T {
  const own = keys.get(key);
  if (own !== undefined) return readWith(own, key, path, read);
  throw missing(key, entry, path);
}

function missing(key: Key, { line }: PlacedYaml, path: string): Fault {
  return new Fault(`${path}, line ${line}: a token without ${key}: ${ACCEPTED[key]}`, {
    parameter: key,
  });
}

function readWith<T>(
  { line, value }: PlacedYaml,
  key: Key,
  path: string,
  read: (text: string) => T | undefined,
): T {
  const found = typeof value === 'string' ? read(value.trim()) : undefined;
  if (found !== undefined) return found;
  throw new Fault(`${path}, line ${line}: ${key} is not ${ACCEPTED[key]}`, { parameter: key });
}

/** An empty one is refused: it would let its caller see everything. */
function filterIn(own: PlacedYaml, path: string, check: CheckFilter): string {
  const text = readWith(own, 'filter', path, (value) => (value === '' ? undefined : value));
  try {
    check(text);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    const why = cause.message.replace(/^parameter 'filter': /, '');
    throw new Fault(`${path}, line ${own.line}: filter ${text}: ${why}`, {
      parameter: 'filter',
      cause,
    });
  }
  return text;
}

/** Refused without a filter: its caller sees idle whatever the key says. */
function idleIn(
  own: PlacedYaml | undefined,
  filter: string | null,
  path: string,
): Pick<Caller, 'seesIdle'> {
  if (own === undefined) return {};
  const words: ReadonlyMap<string, boolean> = new Map([
    ['true', true],
    ['false', false],
  ]);
  const seesIdle = readWith(own, 'idle', path, (text) => words.get(text));
  if (filter !== null) return { seesIdle };
  throw new Fault(`${path}, line ${own.line}: idle is for tokens with a filter`, {
    parameter: 'idle',
    hint: 'tokens without a filter show idle: remove the key, or add a filter',
  });
}

function readDigest(text: string): Uint8Array | undefined {
  return /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** A list, or one role alone. */
function rolesIn(own: PlacedYaml | undefined, entry: PlacedYaml, path: string): readonly Role[] {
  if (own === undefined) throw missing('roles', entry, path);
  const items = Array.isArray(own.value) ? (own.value as readonly PlacedYaml[]) : [own];
  const isRole = (text: string): Role | undefined => ROLES.find((role) => role === text);
  const roles = items.map((item) => readWith(item, 'roles', path, isRole));
  if (roles.length > 0) return [...new Set(roles)];
  throw new Fault(`${path}, line ${own.line}: roles is not ${ACCEPTED.roles}`, {
    parameter: 'roles',
  });
}

/** One name is one caller, and one token has one entry: with two it would be chance which counts. */
function refuseTwice(
  entries: readonly PlacedYaml[],
  tokens: readonly KnownToken[],
  path: string,
): void {
  const seen = new Set<string>();
  for (const [i, { digest, caller }] of tokens.entries()) {
    const line = entries[i]?.line ?? 0;
    const hex = Buffer.from(digest).toString('hex');
    for (const [key, text] of [
      ['name', caller.name],
      ['sha256', hex],
    ] as const) {
      if (seen.has(`${key} ${text}`)) {
        throw new Fault(`${path}, line ${line}: ${key} is that of a token before it`, {
          parameter: key,
        });
      }
      seen.add(`${key} ${text}`);
    }
  }
}

/**
 * Credentials for a store: a user and password, a token, a tenant, further headers, and certificates for
 * TLS. Secrets come from files or the environment, and go only into headers.
 */
import { readFileSync, statSync } from 'node:fs';
import { Fault, Unavailable } from '../../query/index.ts';

export interface CredentialOptions {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Read again when it changes, like the token's file: Kubernetes renews them. */
  readonly passwordFile?: string | undefined;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  /** Sent as `X-Scope-OrgID`, which Mimir, Loki and Cortex read. */
  readonly tenant?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Signatures that are sent in place of a user or a token; absent: none. */
  readonly auth?: string | undefined;
  /** How messages name the server and its settings; absent: the metrics store and `metrics-…`. */
  readonly named?: NamedServer;
}

export interface NamedServer {
  readonly name: string;
  /** What its settings begin with, such as `metrics`. */
  readonly settings: string;
}

const STORE: NamedServer = { name: 'the metrics store', settings: 'metrics' };

/** Returns the headers for the next request. @throws {Unavailable} when a file cannot be read */
export type Credentials = () => Readonly<Record<string, string>>;

/** @throws {Fault} for settings that contradict one another, or a file that cannot be read */
export function createCredentials(options: CredentialOptions): Credentials {
  const { user, tenant, headers = {}, named = STORE } = options;
  const { name, settings } = named;
  const password = secretOf('password', options.password, options.passwordFile, named);
  const token = secretOf('token', options.token, options.tokenFile, named);
  if (token !== undefined && (user !== undefined || password !== undefined))
    throw new Fault(`a user and a token for ${name}: it takes one of them`, {
      hint: `set ${settings}-user with ${settings}-password-file, or ${settings}-token-file alone`,
    });
  if (options.auth !== undefined && [user, password, token].some((each) => each !== undefined))
    throw new Fault(`a user or a token, and signatures for ${name}: it takes one of them`, {
      hint: `leave out ${settings}-auth, or the others`,
    });
  if ((user === undefined) !== (password === undefined))
    throw new Fault(`${name} needs both a user and a password, or neither`, {
      hint: `set ${settings}-user with ${settings}-password-file or ${variableOf(settings)}_PASSWORD`,
    });
  const fixed = { ...headers, ...(tenant === undefined ? {} : { 'X-Scope-OrgID': tenant }) };
  return () => {
    if (token !== undefined) return { ...fixed, Authorization: `Bearer ${token()}` };
    if (user === undefined || password === undefined) return fixed;
    const pair = Buffer.from(`${user}:${password()}`).toString('base64');
    return { ...fixed, Authorization: `Basic ${pair}` };
  };
}

function variableOf(settings: string): string {
  return settings.toUpperCase().replaceAll('-', '_');
}

function secretOf(
  what: 'password' | 'token',
  text: string | undefined,
  path: string | undefined,
  { name, settings }: NamedServer,
): (() => string) | undefined {
  if (path === undefined) return text === undefined ? undefined : () => text;
  const file = new SecretFile(`${name}'s ${what}`, path);
  try {
    file.read();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Fault(message, { parameter: `${settings}-${what}-file`, cause });
  }
  return () => file.read();
}

/** A file's text without its final line end; read again when the file changes. */
class SecretFile {
  /** Such as `the metrics store's token`. */
  readonly #what: string;
  readonly #path: string;
  #text = '';
  #writtenMs = Number.NaN;

  constructor(what: string, path: string) {
    this.#what = what;
    this.#path = path;
  }

  read(): string {
    try {
      const { mtimeMs } = statSync(this.#path);
      if (mtimeMs !== this.#writtenMs) {
        this.#text = readFileSync(this.#path, 'utf8').replace(/\r?\n$/, '');
        this.#writtenMs = mtimeMs;
      }
    } catch (cause) {
      const message = `cannot read ${this.#what} from ${this.#path}`;
      throw new Unavailable(message, { cause });
    }
    if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(this.#text)) return this.#text;
    throw new Unavailable(`${this.#what} in ${this.#path} is not one line of printable ASCII`);
  }
}

/** PEM files. */
export interface TlsFiles {
  /** What the settings begin with; absent: `metrics`. */
  readonly settings?: string;
  /** Authorities to trust instead of the usual ones. */
  readonly caFile?: string | undefined;
  /** Our certificate and its key, for stores that require one. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

export interface Tls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** @throws {Fault} when a file cannot be read, or a certificate comes without its key */
export function readTls({ caFile, certFile, keyFile, settings = 'metrics' }: TlsFiles): Tls {
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new Fault(`${settings}-cert-file and ${settings}-key-file go together`, {
      parameter: `${settings}-${certFile === undefined ? 'cert' : 'key'}-file`,
    });
  return {
    ...(caFile === undefined ? {} : { ca: readPem(`${settings}-ca-file`, caFile) }),
    ...(certFile === undefined ? {} : { cert: readPem(`${settings}-cert-file`, certFile) }),
    ...(keyFile === undefined ? {} : { key: readPem(`${settings}-key-file`, keyFile) }),
  };
}

function readPem(parameter: string, path: string): Buffer {
  let text: Buffer;
  try {
    text = readFileSync(path);
  } catch (cause) {
    throw new Fault(`${parameter}: cannot read ${path}`, { parameter, cause });
  }
  if (text.includes('-----BEGIN ')) return text;
  throw new Fault(`${parameter}: ${path} is not a PEM file`, { parameter });
}

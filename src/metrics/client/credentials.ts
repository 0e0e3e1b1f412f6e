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
}

/** Returns the headers for the next request. @throws {Unavailable} when a file cannot be read */
export type Credentials = () => Readonly<Record<string, string>>;

/** @throws {Fault} for settings that contradict one another, or a file that cannot be read */
export function createCredentials(options: CredentialOptions): Credentials {
  const { user, tenant, headers = {} } = options;
  const password = secretOf('password', options.password, options.passwordFile);
  const token = secretOf('token', options.token, options.tokenFile);
  if (token !== undefined && (user !== undefined || password !== undefined))
    throw new Fault('a user and a token for the metrics store: it takes one of them', {
      hint: 'set metrics-user with metrics-password-file, or metrics-token-file alone',
    });
  if ((user === undefined) !== (password === undefined))
    throw new Fault('the metrics store needs both a user and a password, or neither', {
      hint: 'set metrics-user with metrics-password-file or METRICS_PASSWORD',
    });
  const fixed = { ...headers, ...(tenant === undefined ? {} : { 'X-Scope-OrgID': tenant }) };
  return () => {
    if (token !== undefined) return { ...fixed, Authorization: `Bearer ${token()}` };
    if (user === undefined || password === undefined) return fixed;
    const pair = Buffer.from(`${user}:${password()}`).toString('base64');
    return { ...fixed, Authorization: `Basic ${pair}` };
  };
}

function secretOf(
  what: 'password' | 'token',
  text: string | undefined,
  path: string | undefined,
): (() => string) | undefined {
  if (path === undefined) return text === undefined ? undefined : () => text;
  const file = new SecretFile(what, path);
  try {
    file.read();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Fault(message, { parameter: `metrics-${what}-file`, cause });
  }
  return () => file.read();
}

/** A file's text without its final line end; read again when the file changes. */
class SecretFile {
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
      const message = `cannot read the metrics store's ${this.#what} from ${this.#path}`;
      throw new Unavailable(message, { cause });
    }
    if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(this.#text)) return this.#text;
    throw new Unavailable(`the ${this.#what} in ${this.#path} is not one line of printable ASCII`);
  }
}

/** PEM files. */
export interface TlsFiles {
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
export function readTls({ caFile, certFile, keyFile }: TlsFiles): Tls {
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new Fault('metrics-cert-file and metrics-key-file go together', {
      parameter: certFile === undefined ? 'metrics-cert-file' : 'metrics-key-file',
    });
  return {
    ...(caFile === undefined ? {} : { ca: readPem('metrics-ca-file', caFile) }),
    ...(certFile === undefined ? {} : { cert: readPem('metrics-cert-file', certFile) }),
    ...(keyFile === undefined ? {} : { key: readPem('metrics-key-file', keyFile) }),
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

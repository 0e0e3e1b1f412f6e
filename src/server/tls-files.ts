/** The certificate that the server shows: checked before it is used, and used anew when its files change. */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { HttpServer, TlsFiles } from '../http/index.ts';
import { Fault } from '../query/index.ts';
import type { Config } from '../settings/config.ts';
import type { ServerLogger } from '../terminal/log.ts';
import { counter, gauge, type Family } from '../export/index.ts';
import type { Health } from './health/health.ts';

const LOOK_EVERY_MS = 2000;
/** A certificate that ends sooner is warned of when it is read. */
const SOON_MS = 14 * 86_400_000;

/** What of a certificate matters for who runs a server. */
export interface Certificate {
  readonly subject: string;
  /** Unix ms. */
  readonly notAfterMs: number;
}

/** @returns undefined for plain HTTP @throws {Fault} when only one of the two files is named */
export function tlsFilesOf({ tlsCert, tlsKey }: Config): TlsFiles | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert !== undefined && tlsKey !== undefined) return { certFile: tlsCert, keyFile: tlsKey };
  const [given, missing] =
    tlsCert === undefined ? ['tls-key', 'tls-cert'] : ['tls-cert', 'tls-key'];
  throw new Fault(`--${given} is there without --${missing}: TLS takes both`, {
    parameter: `--${missing}`,
    hint: `for example --${missing} /etc/prorata/${missing === 'tls-cert' ? 'tls.crt' : 'tls.key'}`,
  });
}

/** @throws {Fault} when TLS cannot be spoken as configured */
export function checkTls(config: Config): void {
  const files = tlsFilesOf(config);
  if (files !== undefined) readCertificate(files);
}

/** @throws {Fault} naming the file that cannot be used */
export function readCertificate({ certFile, keyFile }: TlsFiles): Certificate {
  const certificate = parsed('--tls-cert', certFile, 'a certificate in PEM', certificateOf);
  const key = parsed('--tls-key', keyFile, 'a private key in PEM without a passphrase', keyOf);
  if (!certificate.checkPrivateKey(key)) {
    throw new Fault(
      `--tls-key: the key in ${keyFile} is not that of the certificate in ${certFile}`,
      {
        parameter: '--tls-key',
      },
    );
  }
  const { subject, validTo } = certificate;
  return { subject: subject.replaceAll('\n', ', '), notAfterMs: Date.parse(validTo) };
}

function certificateOf(text: Buffer): X509Certificate {
  return new X509Certificate(text);
}

function keyOf(text: Buffer): KeyObject {
  return createPrivateKey(text);
}

function parsed<T>(parameter: string, path: string, what: string, parse: (text: Buffer) => T): T {
  let text: Buffer;
  try {
    text = readFileSync(path);
  } catch (cause) {
    throw new Fault(`${parameter}: cannot read ${path}`, { parameter, cause });
  }
  try {
    return parse(text);
  } catch (cause) {
    throw new Fault(`${parameter}: ${path} does not hold ${what}`, { parameter, cause });
  }
}

/** Looks at the files now and then, and uses them again when they have changed. */
class WatchedCertificate {
  readonly #files: TlsFiles;
  readonly #log: ServerLogger;
  readonly #timer: NodeJS.Timeout;
  #certificate: Certificate;
  #seen: string;
  #reloads = 0;
  #failures = 0;

  /** @param use @throws when the files cannot be used @throws {Fault} naming a file that cannot be used */
  constructor(files: TlsFiles, use: () => void, log: ServerLogger) {
    this.#files = files;
    this.#log = log;
    this.#seen = stateOf(files);
    this.#certificate = readCertificate(files);
    this.#warnOfEnd();
    this.#timer = setInterval(() => this.#look(use), LOOK_EVERY_MS).unref();
  }

  families(): Family[] {
    const { notAfterMs } = this.#certificate;
    return [
      gauge('prorata_tls_certificate_not_after_timestamp_seconds', 'When the certificate ends, Unix time.', notAfterMs / 1000),
      counter('prorata_tls_reloads_total', 'Certificates that were used in place of the one before.', this.#reloads),
      counter('prorata_tls_reload_failures_total', 'Changed files that could not be used.', this.#failures),
    ]; // prettier-ignore
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(use: () => void): void {
    const now = stateOf(this.#files);
    if (now === this.#seen) return;
    this.#seen = now;
    try {
      const certificate = readCertificate(this.#files);
      use();
      this.#certificate = certificate;
      this.#reloads++;
      const until = new Date(certificate.notAfterMs).toISOString();
      this.#log.info({ subject: certificate.subject, until }, 'a new certificate is served');
      this.#warnOfEnd();
    } catch (error) {
      this.#failures++;
      const reason = error instanceof Error ? error.message : String(error);
      this.#log.error({ reason }, 'the changed certificate cannot be used: the one before stays');
    }
  }

  #warnOfEnd(): void {
    const { subject, notAfterMs } = this.#certificate;
    if (notAfterMs - Date.now() > SOON_MS) return;
    const until = new Date(notAfterMs).toISOString();
    this.#log.warn({ subject, until }, 'the certificate ends soon, or has ended');
  }
}

/** The same server, which uses its certificate anew whenever that changes. */
export function withCertificate(
  server: HttpServer,
  files: TlsFiles,
  health: Health,
  log: ServerLogger,
): HttpServer {
  const watched = new WatchedCertificate(files, () => server.renew(files), log);
  health.add(() => watched.families());
  return {
    listen: (host, port) => server.listen(host, port),
    renew: (tls) => server.renew(tls),
    close(graceMs) {
      watched.close();
      return server.close(graceMs);
    },
  };
}

/** Another text once a file is another, behind a link too: Kubernetes exchanges the link of a folder. */
function stateOf({ certFile, keyFile }: TlsFiles): string {
  return [certFile, keyFile]
    .map((path) => {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false });
      return found === undefined ? 'none' : `${found.ino} ${found.size} ${found.mtimeNs}`;
    })
    .join(', ');
}

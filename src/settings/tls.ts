/** Settings of TLS that the server speaks itself. */
import type { Rows, Setting } from './settings.ts';

export interface TlsSettings {
  /** The certificate and those between it and its authority, PEM; absent: plain HTTP. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
}

export const TLS_SETTINGS: Rows<TlsSettings> = {
  tlsCert: file('tlsCert', 'TLS_CERT', 'with the certificate of HTTPS, and its chain', 'tls.crt'), // prettier-ignore
  tlsKey: file('tlsKey', 'TLS_KEY', "with that certificate's key", 'tls.key'),
};

function file(
  key: string,
  env: string,
  content: string,
  name: string,
): Setting<string | undefined> {
  return {
    key,
    env,
    help: `a file ${content}, PEM; read again when it changes`,
    accepted: 'a path',
    example: `/etc/prorata/${name}`,
    otherwise: 'none, plain HTTP is served',
    fallback: () => undefined,
    read: (text) => (text.includes('\0') ? undefined : text),
  };
}

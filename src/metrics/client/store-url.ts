/**
 * Parses the address of a metrics store, perhaps with a path prefix, a trailing slash and credentials,
 * which go into a header and never into a message.
 */
import { hideUrlSecrets, refuse } from '../../query/index.ts';

export interface StoreUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path prefix without a trailing slash, '' when there is none. */
  readonly prefix: string;
  /** Value of the `Authorization` header, from credentials in the address. */
  readonly authorization: string | undefined;
  /** The address in messages. */
  readonly shown: string;
}

const EXAMPLE = 'http://localhost:9090';

/** @throws {Fault} when `text` is not an http or https URL, or has a query or a fragment */
export function parseStoreUrl(text: string): StoreUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === undefined || !isWeb || url.search !== '' || url.hash !== '')
    throw refuse(
      'metrics-url',
      hideUrlSecrets(text),
      'an http or https URL without a query',
      EXAMPLE,
    );
  const prefix = url.pathname.replace(/\/+$/, '');
  const hasUser = url.username !== '' || url.password !== '';
  return {
    origin: url.origin,
    prefix,
    authorization: hasUser ? basic(url) : undefined,
    shown: hideUrlSecrets(url.href.replace(/\/+$/, '')),
  };
}

function basic({ username, password }: URL): string {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

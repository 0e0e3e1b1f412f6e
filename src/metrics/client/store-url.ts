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
  return {
    origin: url.origin,
    prefix,
    authorization: authorizationOf(url),
    shown: hideUrlSecrets(url.href.replace(/\/+$/, '')),
  };
}

/** Value of the `Authorization` header for user and password of an address; undefined without either. */
export function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`;
}

/** A password with a percent sign that escapes nothing is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Where a database of ClickHouse is, as `--store` names it, and places of a copy. */
import { Fault, isLoopback, refuse } from '../../query/index.ts';
import type { ClickHouseOptions } from './client.ts';

const SCHEME = 'clickhouse:';
const EXAMPLE = 'clickhouse://prorata@clickhouse.example:8443/prorata?secure=true';
const KNOWN: readonly string[] = ['secure', 'gzip'];

export type ClickHousePlace = Pick<
  ClickHouseOptions,
  'origin' | 'user' | 'password' | 'database' | 'isPacked'
>;

export function isClickHouseUrl(text: string): boolean {
  return text.startsWith(`${SCHEME}//`);
}

/**
 * @param parameter that has the text, for messages
 * @param password of the user, which the text never has
 * @throws {Fault} naming the part that is not accepted
 */
export function readClickHouseUrl(
  text: string,
  parameter: string,
  password: string,
): ClickHousePlace {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== SCHEME || url.hostname === '') {
    throw refuse(parameter, text, 'a URL of a database', EXAMPLE);
  }
  if (url.password !== '') {
    throw new Fault(`${parameter} has a password in it, which lists of processes would show`, {
      parameter,
      hint: 'give it by STORE_PASSWORD or --store-password-file',
    });
  }
  for (const name of url.searchParams.keys()) {
    if (!KNOWN.includes(name))
      throw refuse(parameter, name, 'an option of the URL', EXAMPLE, KNOWN);
  }
  const isSecure = flag(url, 'secure', false, parameter);
  const isHere = isLoopback(url.hostname);
  if (password !== '' && !isSecure && !isHere) {
    throw new Fault(`${parameter} would send a password unencrypted to ${url.hostname}`, {
      parameter,
      hint: `add ?secure=true, and the port of HTTPS: ${EXAMPLE}`,
    });
  }
  const port = url.port === '' ? (isSecure ? '8443' : '8123') : url.port;
  return {
    origin: `${isSecure ? 'https' : 'http'}://${url.hostname}:${port}`,
    user: decoded(url.username, parameter) || 'default',
    password,
    database: decoded(url.pathname.replace(/^\/|\/$/g, ''), parameter) || 'prorata',
    isPacked: flag(url, 'gzip', !isHere, parameter),
  };
}

function flag(url: URL, name: string, otherwise: boolean, parameter: string): boolean {
  const text = url.searchParams.get(name);
  if (text === null) return otherwise;
  if (text !== 'true' && text !== 'false')
    throw refuse(parameter, `${name}=${text}`, 'an option of the URL', EXAMPLE);
  return text === 'true';
}

function decoded(text: string, parameter: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse(parameter, text, 'encoded as names in URLs are', EXAMPLE);
  }
}

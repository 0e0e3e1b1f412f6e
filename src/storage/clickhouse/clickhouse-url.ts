/** Where a database of ClickHouse is, as `--store` names it, and places of a copy. */
import { Fault, isLoopback, refuse } from '../../query/index.ts';
import type { ClickHouseOptions } from './client.ts';
import type { Cluster } from './shards.ts';

const SCHEME = 'clickhouse:';
const EXAMPLE = 'clickhouse://prorata@clickhouse.example:8443/prorata?secure=true';
const KNOWN: readonly string[] = ['secure', 'gzip', 'cluster', 'hosts', 'replicated'];
const HOSTS = 'hosts=ch-1:8123,ch-2:8123, with | between replicas of a shard';

export type ClickHousePlace = Pick<
  ClickHouseOptions,
  'origin' | 'user' | 'password' | 'database' | 'isPacked'
> & { readonly cluster?: Cluster };

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
  const origin = `${isSecure ? 'https' : 'http'}://${url.hostname}:${port}`;
  const cluster = clusterOf(url, origin, parameter);
  return {
    origin,
    user: decoded(url.username, parameter) || 'default',
    password,
    database: decoded(url.pathname.replace(/^\/|\/$/g, ''), parameter) || 'prorata',
    isPacked: flag(url, 'gzip', !isHere, parameter),
    ...(cluster === undefined ? {} : { cluster }),
  };
}

function clusterOf(url: URL, origin: string, parameter: string): Cluster | undefined {
  const name = url.searchParams.get('cluster');
  const isReplicated = flag(url, 'replicated', false, parameter);
  const hosts = url.searchParams.get('hosts');
  if (name === null || name === '') {
    const alone = isReplicated ? 'replicated=true' : hosts === null ? undefined : 'hosts';
    if (alone === undefined && name === null) return undefined;
    throw new Fault(`${parameter}: ${alone ?? 'cluster='} needs the name of a cluster`, {
      parameter,
      hint: 'add cluster=NAME, as <remote_servers> of the server names it',
    });
  }
  if (hosts === null) return { name, isReplicated };
  const origins = hosts
    .split(',')
    .map((shard) => shard.split('|').map((host) => originOf(host, origin, parameter)));
  return { name, isReplicated, origins };
}

/** @param like of which scheme and port it is, where it names none */
function originOf(host: string, like: string, parameter: string): string {
  const { protocol, port } = new URL(like);
  // The default port of a scheme is none to a URL.
  const text = `${protocol}//${/:\d+$/.test(host) ? host : `${host}:${port}`}`;
  const url = /^[\w.:[\]-]+$/.test(host) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '')
    throw refuse(parameter, `hosts=${host}`, 'the address of a server', HOSTS);
  return text;
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

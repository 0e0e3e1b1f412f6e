/** Bills at URLs: http, https, and s3 for S3-compatible stores. Entity tags show what is new. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openBillFile, type BillFile } from '../focus/index.ts';
import { hideUrlSecrets } from '../../query/index.ts';
import type { SourceId } from './bill-key.ts';
import { openFiles, unreachable, type BillFeed, type Offer } from './feeds.ts';
import { signed, type AwsCredentials } from './sigv4.ts';

export interface UrlFeedOptions extends SourceId {
  /** URLs of one delivery, at least one. */
  readonly urls: readonly string[];
  readonly s3: S3Options;
  /** Hosts that a URL may redirect to, besides its own. */
  readonly redirectHosts: readonly string[];
  readonly nowMs: () => number;
}

export interface S3Options {
  /** Undefined: requests are not signed. */
  readonly credentials: AwsCredentials | undefined;
  /** Without a slash at its end; buckets are the first part of the path. */
  readonly endpoint: string;
}

const REDIRECTS_MAX = 5;
const KEYS_MAX = 10_000;
const BILL_NAME = /\.(csv|parquet|gz|zst)$/i;
/** Status codes of a URL that is signed for GET only, or of a server without HEAD. */
const NO_HEAD = [403, 405, 501];

export function createUrlFeed(options: UrlFeedOptions): BillFeed {
  const { as, source } = options;
  return {
    async offers(signal) {
      const urls: URL[] = [];
      for (const url of options.urls) urls.push(...(await filesAt(options, url, signal)));
      const hash = createHash('sha256');
      for (const url of urls) hash.update(await versionOf(options, url, signal));
      const label = `${as}/${source} of URLs ${hash.digest('hex').slice(0, 16)}`;
      const open: Offer['open'] = (aborted) => download(options, urls, aborted);
      return urls.length === 0 ? [] : [{ as, source, label, open }];
    },
  };
}

/** The one file, or all files below a prefix. */
async function filesAt(options: UrlFeedOptions, text: string, signal: AbortSignal): Promise<URL[]> {
  const url = new URL(text);
  if (url.protocol !== 's3:') return [url];
  const { endpoint } = options.s3;
  const key = url.pathname.slice(1);
  const at = (name: string): URL =>
    new URL(`${endpoint}/${url.host}/${name.split('/').map(encodeURIComponent).join('/')}`);
  if (!key.endsWith('/') && key !== '') return [at(decodeURIComponent(key))];
  const keys: string[] = [];
  for (let token = ''; ;) {
    const list = new URL(`${endpoint}/${url.host}`);
    const more = token === '' ? [] : [['continuation-token', token] as const];
    for (const [name, value] of [
      ['list-type', '2'],
      ['prefix', decodeURIComponent(key)],
      ...more,
    ] as const)
      list.searchParams.set(name, value);
    const xml = await (await ask(options, 'GET', list, signal)).text();
    keys.push(...textsOf(xml, 'Key').filter((name) => BILL_NAME.test(name)));
    [token = ''] = textsOf(xml, 'NextContinuationToken');
    if (token === '' || keys.length > KEYS_MAX) return keys.map(at);
  }
}

/** Texts of XML elements without elements within, as S3 lists them. */
function textsOf(xml: string, name: string): string[] {
  const found = xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'));
  return Array.from(found, ([, text = '']) =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&amp;', '&'),
  );
}

async function versionOf(options: UrlFeedOptions, url: URL, signal: AbortSignal): Promise<string> {
  const answer = await ask(options, 'HEAD', url, signal);
  await answer.body?.cancel();
  const names = ['etag', 'last-modified', 'content-length'];
  return JSON.stringify([url.href, ...names.map((name) => answer.headers.get(name))]);
}

/** Downloads to files, as Parquet is read at many places, and no bill twice over the net. */
async function download(
  options: UrlFeedOptions,
  urls: readonly URL[],
  signal: AbortSignal,
): ReturnType<Offer['open']> {
  const folder = await mkdtemp(join(tmpdir(), 'prorata-bills-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const open = async (url: URL, i: number): Promise<BillFile> => {
    const path = join(folder, String(i));
    const { body } = await ask(options, 'GET', url, signal);
    const bytes = body === null ? Readable.from([]) : Readable.fromWeb(body);
    await pipeline(bytes, createWriteStream(path));
    return { ...(await openBillFile(path)), name: shownUrl(url) };
  };
  return await openFiles(urls, open, remove).catch((error: unknown) => {
    throw unreachable(`bills of ${options.as}/${options.source}`, error);
  });
}

/** @throws {Unavailable} naming the URL, without its query: that may be a signature */
async function ask(
  options: UrlFeedOptions,
  method: 'GET' | 'HEAD',
  url: URL,
  signal: AbortSignal,
): Promise<Response> {
  const answer = await followed(options, method, url, signal).catch((cause: unknown) => {
    throw unreachable(shownUrl(url), cause);
  });
  if (answer.ok) return answer;
  await answer.body?.cancel();
  if (method === 'HEAD' && NO_HEAD.includes(answer.status)) {
    return ask(options, 'GET', url, signal);
  }
  throw unreachable(shownUrl(url), new Error(`it answered ${answer.status}`));
}

/** The answer after redirects: whoever answers for a URL does not choose what else is read from this network. */
async function followed(
  { s3, nowMs, redirectHosts }: UrlFeedOptions,
  method: 'GET' | 'HEAD',
  first: URL,
  signal: AbortSignal,
): Promise<Response> {
  let url = first;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const isS3 = s3.credentials !== undefined && url.href.startsWith(`${s3.endpoint}/`);
    const headers = isS3 ? signed(method, url, s3.credentials, nowMs()) : {};
    const answer = await fetch(url, { method, headers, signal, redirect: 'manual' });
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status >= 400 || location === null) return answer;
    await answer.body?.cancel();
    url = new URL(location, url);
    const isWeb =
      url.protocol === 'https:' || (url.protocol === 'http:' && first.protocol === 'http:');
    if (!isWeb) throw new Error(`it redirects to ${url.protocol}//, which is not followed`);
    if (!isSameServer(url, first) && !redirectHosts.includes(url.hostname))
      throw new Error(
        `it redirects to ${url.hostname}, which is not followed: --bill-redirect-hosts ${url.hostname} allows it`,
      );
  }
  throw new Error(`it redirects more than ${REDIRECTS_MAX} times`);
}

/** Another port of the host is another server, but for that of https. */
function isSameServer(url: URL, first: URL): boolean {
  const isSecured = url.protocol === 'https:' && url.port === '';
  return url.host === first.host || (url.hostname === first.hostname && isSecured);
}

function shownUrl({ href }: URL): string {
  return hideUrlSecrets(href);
}

/** Files at http and https URLs. Entity tags show what is new. */
import { hideUrlSecrets } from '../../query/index.ts';
import { unreachable } from './feeds.ts';
import type { RemoteFile } from './remote-file.ts';

export interface WebOptions {
  /** Hosts that a URL may redirect to, besides its own. */
  readonly redirectHosts: readonly string[];
}

const REDIRECTS_MAX = 5;
/** Status codes of a URL that is signed for GET only, or of a server without HEAD. */
const NO_HEAD = [403, 405, 501];

export async function webFile(
  options: WebOptions,
  url: URL,
  signal: AbortSignal,
): Promise<RemoteFile> {
  const answer = await ask(options, 'HEAD', url, signal);
  await answer.body?.cancel();
  const names = ['etag', 'last-modified', 'content-length'];
  return {
    name: shownUrl(url),
    group: '',
    version: JSON.stringify([url.href, ...names.map((name) => answer.headers.get(name))]),
    read: (aborted) => ask(options, 'GET', url, aborted),
  };
}

/** @throws {Unavailable} naming the URL, without its query: that may be a signature */
async function ask(
  options: WebOptions,
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
  { redirectHosts }: WebOptions,
  method: 'GET' | 'HEAD',
  first: URL,
  signal: AbortSignal,
): Promise<Response> {
  let url = first;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const answer = await fetch(url, { method, signal, redirect: 'manual' });
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

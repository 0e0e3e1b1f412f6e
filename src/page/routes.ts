/** The web page: its files as the build made them, for anybody who may come to sign in. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import {
  acceptsGzip,
  bytes,
  paramsOf,
  unchanged,
  type AdmittedRequest,
  type HttpReply,
  type Route,
} from '../http/index.ts';
import { Unavailable } from '../query/index.ts';

/** Beside the sources as in a bundle. */
const FOLDER = new URL('../../dist/page/', import.meta.url);

const HTML = 'text/html; charset=utf-8';
const PARTS: Readonly<Record<string, string>> = {
  'page.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};
const FOREVER = 'public, max-age=31536000, immutable';
const ASK_AGAIN = 'no-cache';

interface PageFile {
  readonly plain: Uint8Array;
  /** Absent: too short to gain by it. */
  readonly compressed: Uint8Array | undefined;
  /** Tells contents apart; the page names its parts by it. */
  readonly version: string;
}

/** @param index what clients that are no browsers get at `/` */
export function pageRoutes(index: string): Route[] {
  const files = new Map<string, PageFile>();
  const fileOf = (name: string): PageFile => {
    const file = files.get(name) ?? readFile(name);
    files.set(name, file);
    return file;
  };
  const open = { method: 'GET', needs: 'nobody', scoping: 'unneeded' } as const;
  const page = (request: AdmittedRequest): HttpReply =>
    reply(fileOf('page.html'), request, { 'content-type': HTML, 'cache-control': ASK_AGAIN });
  const partRoute = ([name, type]: [string, string]): Route => ({
    ...open,
    path: `/ui/${name}`,
    handle(request) {
      const file = fileOf(name);
      const isCurrent = paramsOf(request).text('v') === file.version;
      const caching = isCurrent ? FOREVER : ASK_AGAIN;
      return reply(file, request, { 'content-type': type, 'cache-control': caching });
    },
  });
  return [
    {
      ...open,
      path: '/',
      handle(request) {
        const answer = isBrowser(request)
          ? page(request)
          : bytes('text/plain; charset=utf-8', index);
        return { ...answer, headers: { ...answer.headers, vary: 'accept' } };
      },
    },
    { ...open, path: '/ui', handle: page },
    ...Object.entries(PARTS).map(partRoute),
  ];
}

/** Browsers ask for a page by its type; programs name another, or take anything. */
function isBrowser(request: AdmittedRequest): boolean {
  return request.header('accept').includes('text/html');
}

function reply(
  { plain, compressed, version }: PageFile,
  request: AdmittedRequest,
  head: HttpReply['headers'],
): HttpReply {
  const headers = { ...head, etag: `"${version}"` };
  const known = unchanged(request, headers);
  if (known !== undefined) return known;
  if (compressed === undefined || !acceptsGzip(request.header('accept-encoding'))) {
    return { status: 200, headers, body: plain };
  }
  return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: compressed };
}

/** @throws {Unavailable} where nothing is built */
function readFile(name: string): PageFile {
  const [path, short] = [new URL(name, FOLDER), new URL(`${name}.gz`, FOLDER)];
  if (!existsSync(path)) {
    throw new Unavailable('the page is not built', { hint: 'npm run prepare builds it' });
  }
  const plain = readFileSync(path);
  const version = createHash('sha256').update(plain).digest('hex').slice(0, 16);
  return { plain, compressed: existsSync(short) ? readFileSync(short) : undefined, version };
}

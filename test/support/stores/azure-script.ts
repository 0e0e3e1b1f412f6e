/** Azure Blob Storage, as far as it is used, for one bearer token, the account bills1 and the container exports. */
import assert from 'node:assert/strict';
import type { CloudAnswer, CloudRequest } from '../servers/scripted-cloud.ts';
import { partOf } from './s3-script.ts';

export interface AzureScript {
  readonly token: string;
  /** Contents by name. */
  readonly files: Map<string, string>;
}

/** Blob Storage for one bearer token, two names a page. */
export function azureAnswer({ token, files }: AzureScript, request: CloudRequest): CloudAnswer {
  const { url, headers, method } = request;
  assert.match(String(headers['x-ms-version']), /^\d{4}-\d\d-\d\d$/);
  if (headers.authorization !== `Bearer ${token}`)
    return blobError(401, 'InvalidAuthenticationInfo');
  const [, account, container, ...rest] = url.pathname.split('/');
  assert.equal(account, 'bills1');
  if (container !== 'exports') return blobError(404, 'ContainerNotFound');
  if (url.searchParams.get('comp') === 'list') {
    assert.equal(url.searchParams.get('restype'), 'container');
    return { body: page(files, url.searchParams) };
  }
  const key = decodeURIComponent(rest.join('/'));
  if (method === 'PUT') return put(files, key, request);
  const content = files.get(key);
  if (content === undefined) return blobError(404, 'BlobNotFound');
  const tag = tagOf(content);
  if ((headers['if-match'] ?? tag) !== tag) return blobError(412, 'ConditionNotMet');
  if (method === 'DELETE') {
    files.delete(key);
    return { status: 202 };
  }
  const about = { etag: tag, 'last-modified': 'Tue, 01 Oct 2024 00:00:00 GMT' };
  const part = partOf(content, headers.range);
  if (part !== undefined) return { ...part, headers: { ...about, ...part.headers } };
  const length = { 'content-length': String(Buffer.byteLength(content)) };
  return { body: content, headers: { ...about, ...length } };
}

/** https://learn.microsoft.com/rest/api/storageservices/put-blob */
function put(
  files: AzureScript['files'],
  key: string,
  { headers, body }: CloudRequest,
): CloudAnswer {
  assert.equal(headers['x-ms-blob-type'], 'BlockBlob');
  const there = files.get(key);
  if (headers['if-none-match'] === '*' && there !== undefined)
    return blobError(409, 'BlobAlreadyExists');
  const wanted = headers['if-match'];
  if (wanted !== undefined && (there === undefined || wanted !== tagOf(there)))
    return blobError(412, 'ConditionNotMet');
  files.set(key, body);
  return { status: 201, headers: { etag: tagOf(body) } };
}

/** Contents of one length are one version. */
function tagOf(content: string): string {
  return `"0x${content.length}"`;
}

function page(files: AzureScript['files'], query: URLSearchParams): string {
  const named = [...files]
    .filter(([name]) => name.startsWith(query.get('prefix') ?? ''))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const from = Number(query.get('marker') ?? 0);
  const items = named.slice(from, from + 2).map(([name, content]) => {
    const about = `<Last-Modified>Tue, 01 Oct 2024 00:00:00 GMT</Last-Modified><Etag>0x${content.length}</Etag><Content-Length>${Buffer.byteLength(content)}</Content-Length>`;
    return `<Blob><Name>${name.replaceAll('&', '&amp;')}</Name><Properties>${about}</Properties></Blob>`;
  });
  // The second one cannot be decoded, and is no file that could be read.
  const encoded = ['f/%EF%BF%BE.csv', 'f/%E0.csv']
    .map((name) => `<Blob><Name Encoded="true">${name}</Name><Properties /></Blob>`)
    .join('');
  const more = from + 2 < named.length ? `<NextMarker>${from + 2}</NextMarker>` : '<NextMarker />';
  return `\u{feff}<?xml version="1.0"?><EnumerationResults><Blobs>${items.join('')}${from > 0 ? encoded : ''}</Blobs>${more}</EnumerationResults>`;
}

export function blobError(status: number, code: string): CloudAnswer {
  const body = `<Error><Code>${code}</Code><Message>QUOTED-SECRET</Message></Error>`;
  return { status, headers: { 'x-ms-error-code': code }, body };
}

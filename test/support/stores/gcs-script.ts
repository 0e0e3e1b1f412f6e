/** Google Cloud Storage by its JSON API, as far as it is used, for one bearer token. */
import type { CloudAnswer, CloudRequest } from '../servers/scripted-cloud.ts';
import { partOf } from './s3-script.ts';

export interface GcsScript {
  readonly bucket: string;
  token: string;
  /** Contents by name, and their generation. */
  readonly files: Map<string, { readonly content: string; readonly generation: string }>;
}

export function gcsAnswer({ bucket, token, files }: GcsScript, request: CloudRequest): CloudAnswer {
  if (request.headers.authorization !== `Bearer ${token}`) return googleError(401, 'authError');
  if (request.url.pathname === `/upload/storage/v1/b/${bucket}/o`) return upload(files, request);
  const [, at, name] =
    /^\/storage\/v1\/b\/([^/]+)\/o(?:\/([^/]+))?$/.exec(request.url.pathname) ?? [];
  if (at !== bucket) return googleError(404, 'notFound');
  const query = request.url.searchParams;
  if (name === undefined) return { body: JSON.stringify(page(files, query)) };
  const key = decodeURIComponent(name);
  const file = files.get(key);
  if (file === undefined) return googleError(404, 'notFound');
  if (request.method === 'DELETE') {
    files.delete(key);
    return { status: 204 };
  }
  if (query.get('alt') !== 'media') return { body: JSON.stringify(itemOf(key, file)) };
  if ((query.get('ifGenerationMatch') ?? file.generation) !== file.generation)
    return googleError(412, 'conditionNotMet');
  const updated = 'Tue, 01 Oct 2024 00:00:00 GMT';
  const headers = { 'x-goog-generation': file.generation, 'last-modified': updated };
  const part = partOf(file.content, request.headers.range);
  return part === undefined
    ? { headers, body: file.content }
    : { ...part, headers: { ...headers, ...part.headers } };
}

/** https://cloud.google.com/storage/docs/request-preconditions */
function upload(files: GcsScript['files'], { url, body, method }: CloudRequest): CloudAnswer {
  const query = url.searchParams;
  if (method !== 'POST' || query.get('uploadType') !== 'media') return googleError(400, 'invalid');
  const name = query.get('name') ?? '';
  const generation = files.get(name)?.generation ?? '0';
  if ((query.get('ifGenerationMatch') ?? generation) !== generation)
    return googleError(412, 'conditionNotMet');
  const file = { content: body, generation: String(Number(generation) + 1) };
  files.set(name, file);
  return { body: JSON.stringify(itemOf(name, file)) };
}

export function googleError(code: number, reason: string): CloudAnswer {
  const error = { code, message: 'QUOTED-SECRET', errors: [{ reason, message: 'QUOTED-SECRET' }] };
  return { status: code, body: JSON.stringify({ error }) };
}

function itemOf(
  name: string,
  file: { readonly content: string; readonly generation: string },
): object {
  const size = String(Buffer.byteLength(file.content));
  return { name, generation: file.generation, size, updated: '2024-10-01T00:00:00.000Z' };
}

/** Two names a page, the next one by its place. */
function page(files: GcsScript['files'], query: URLSearchParams): object {
  const prefix = query.get('prefix') ?? '';
  const named = [...files].filter(([name]) => name.startsWith(prefix)).toSorted(byName);
  const from = Number(query.get('pageToken') ?? 0);
  const items = named.slice(from, from + 2).map(([name, file]) => itemOf(name, file));
  const more = from + 2 < named.length ? { nextPageToken: String(from + 2) } : {};
  return items.length === 0 ? { kind: 'storage#objects' } : { items, ...more };
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** Containers of Azure Blob Storage (https://learn.microsoft.com/rest/api/storageservices/list-blobs). */
import type { AzureOptions } from './azure-credentials.ts';
import { answeredByBearer, type Wish } from './bearer-bucket.ts';
import type { BearerIdentity } from './bearer-tokens.ts';
import { decoded } from './bucket-url.ts';
import { listed, type Bucket, type StoredObject } from './bucket.ts';
import { timeOf, wholeAnswer, type Answer, type Outside } from './exchange.ts';
import { codeIn } from './json.ts';
import { elements, textOf } from './xml.ts';

/** The first version that knows bearer tokens in all clouds and tells names that XML cannot have. */
const VERSION = { 'x-ms-version': '2021-12-02' };
const NO_FILE = 'there is no such file';

export function azureContainer(
  account: string,
  container: string,
  { endpoint }: AzureOptions,
  identity: BearerIdentity,
  outside: Outside,
): Bucket {
  const name = `azblob://${account}/${container}`;
  const base = `${endpoint.replaceAll('{account}', account)}/${encodeURIComponent(container)}`;
  const permission = `the role Storage Blob Data Reader on the container ${container} or the account ${account}`;
  const answered = (wish: Omit<Wish, 'permission'>, signal: AbortSignal): Promise<Response> =>
    answeredByBearer({ ...wish, permission }, codeOf, identity, outside, signal);
  const urlOf = (key: string): URL =>
    new URL(`${base}/${key.split('/').map(encodeURIComponent).join('/')}`);
  return {
    name,
    list(prefix, isWanted, signal) {
      const at = `${name}/${prefix}`;
      return listed(at, isWanted, outside, async (marker) => {
        const url = new URL(base);
        const more: Record<string, string> = marker === '' ? {} : { marker };
        const query = { restype: 'container', comp: 'list', prefix, ...more };
        for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
        const missing = 'there is no such container';
        const wish = { method: 'GET', url, headers: VERSION, at, missing } as const;
        const { headers, text } = await wholeAnswer(await answered(wish, signal));
        const objects = elements(text, 'Blob').map(objectOf);
        return { objects, headers, next: textOf(text, 'NextMarker') ?? '' };
      });
    },
    async find(key, signal) {
      const at = `${name}/${key}`;
      const wish = {
        method: 'HEAD',
        url: urlOf(key),
        headers: VERSION,
        at,
        missing: NO_FILE,
      } as const;
      const { headers } = await answered(wish, signal);
      const object = {
        key,
        version: headers.get('etag') ?? '',
        bytes: Number(headers.get('content-length') ?? Number.NaN),
        changedMs: Date.parse(headers.get('last-modified') ?? ''),
      };
      return { objects: [object], nowMs: timeOf(headers, outside.nowMs()) };
    },
    read({ key, version }, signal) {
      const headers = version === '' ? VERSION : { ...VERSION, 'if-match': quoted(version) };
      const at = `${name}/${key}`;
      return answered({ method: 'GET', url: urlOf(key), headers, at, missing: NO_FILE }, signal);
    },
  };
}

/** Listings have tags without the quotes that headers need. */
function quoted(tag: string): string {
  return tag.startsWith('"') ? tag : `"${tag}"`;
}

function objectOf(blob: string): StoredObject {
  // A name that XML cannot have is told encoded.
  const isEncoded = blob.includes('<Name Encoded="true">');
  const name = textOf(blob, 'Name') ?? '';
  return {
    // An empty key is no file.
    key: isEncoded ? (decoded(name) ?? '') : name,
    version: quoted(textOf(blob, 'Etag') ?? ''),
    bytes: Number(textOf(blob, 'Content-Length') ?? Number.NaN),
    changedMs: Date.parse(textOf(blob, 'Last-Modified') ?? ''),
  };
}

function codeOf({ headers, text }: Answer): string {
  return codeIn(headers.get('x-ms-error-code') ?? textOf(text, 'Code'));
}

/** Containers of Azure Blob Storage (https://learn.microsoft.com/rest/api/storageservices/list-blobs). */
import type { AzureOptions } from './azure-credentials.ts';
import { answeredByBearer, askedByBearer, type Asker, type Wish } from './bearer-bucket.ts';
import type { BearerIdentity } from './bearer-tokens.ts';
import type { Refusal } from './bodies.ts';
import { decoded } from './bucket-url.ts';
import {
  headOf,
  listed,
  type Bucket,
  type Condition,
  type Listing,
  type StoredObject,
} from './bucket.ts';
import { CloudBucket, type Ask, type Dialect } from './cloud-bucket.ts';
import { unread, wholeAnswer, type Answer, type Outside, type Heads } from './exchange.ts';
import { codeIn } from './json.ts';
import { elements, textOf } from './xml.ts';

/** The first version that knows bearer tokens in all clouds and tells names that XML cannot have. */
const VERSION = { 'x-ms-version': '2021-12-02' };
const NO_FILE = 'there is no such file';
const NO_CONTAINER = 'there is no such container';
/** Codes of conditions that do not hold; a 409 or 412 may also be of a lease. */
const NOT_SO: readonly string[] = ['BlobAlreadyExists', 'ConditionNotMet', 'BlobNotFound'];

export function azureContainer(
  account: string,
  container: string,
  { endpoint }: AzureOptions,
  identity: BearerIdentity,
  outside: Outside,
): Bucket {
  const base = `${endpoint.replaceAll('{account}', account)}/${encodeURIComponent(container)}`;
  return new CloudBucket(new Azure(account, container, base, { identity, outside, codeOf }));
}

class Azure implements Dialect {
  readonly name: string;
  readonly #asker: Asker;
  readonly #base: string;
  /** What roles are of. */
  readonly #where: string;

  constructor(account: string, container: string, base: string, asker: Asker) {
    this.name = `azblob://${account}/${container}`;
    this.#asker = asker;
    this.#base = base;
    this.#where = `on the container ${container} or the account ${account}`;
  }

  list(prefix: string, isWanted: (key: string) => boolean, signal: AbortSignal): Promise<Listing> {
    return listed(`${this.name}/${prefix}`, isWanted, this.#asker.outside, async (marker) => {
      const url = new URL(this.#base);
      const more: Record<string, string> = marker === '' ? {} : { marker };
      const query = { restype: 'container', comp: 'list', prefix, ...more };
      for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
      const wish = { ...this.#wish('GET', prefix), url, missing: NO_CONTAINER };
      const { headers, text } = await answeredByBearer(this.#asker, wish, signal, wholeAnswer);
      const objects = elements(text, 'Blob').map(objectOf);
      return { objects, headers, next: textOf(text, 'NextMarker') ?? '' };
    });
  }

  async find(key: string, signal: AbortSignal): Promise<Listing> {
    const wish = this.#wish('HEAD', key);
    const { headers } = await answeredByBearer(this.#asker, wish, signal, unread);
    return headOf(key, this.versionOf(headers), headers, this.#asker.outside.nowMs());
  }

  reading(key: string, version: string, headers: Readonly<Record<string, string>> = {}): Ask {
    const wish = this.#wish('GET', key, { ...headers, ...matching(version) });
    return askedByBearer(this.#asker, wish);
  }

  writing(key: string, body: Uint8Array<ArrayBuffer>, condition: Condition): Ask {
    const type = { 'x-ms-blob-type': 'BlockBlob', 'content-type': 'application/octet-stream' };
    const wish = this.#wish('PUT', key, { ...type, ...headersOf(condition) });
    return askedByBearer(this.#asker, { ...wish, body, missing: NO_CONTAINER });
  }

  removing(key: string): Ask {
    return askedByBearer(this.#asker, this.#wish('DELETE', key));
  }

  versionOf(headers: Heads): string {
    return headers.get('etag') ?? '';
  }

  versionIn({ headers }: Answer): string {
    return this.versionOf(headers);
  }

  isMissing({ status, code }: Refusal): boolean {
    return status === 404 && code !== 'ContainerNotFound';
  }

  isNotSo({ status, code }: Refusal): boolean {
    return [404, 409, 412].includes(status) && NOT_SO.includes(code);
  }

  #wish(
    method: 'GET' | 'HEAD' | 'PUT' | 'DELETE',
    key: string,
    headers: Readonly<Record<string, string>> = {},
  ): Wish {
    const isRead = method === 'GET' || method === 'HEAD';
    const role = `Storage Blob Data ${isRead ? 'Reader' : 'Contributor'}`;
    return {
      method,
      url: new URL(`${this.#base}/${key.split('/').map(encodeURIComponent).join('/')}`),
      headers: { ...VERSION, ...headers },
      at: `${this.name}/${key}`,
      permission: `the role ${role} ${this.#where}`,
      missing: NO_FILE,
    };
  }
}

function headersOf(condition: Condition): Readonly<Record<string, string>> {
  if (condition === 'absent') return { 'if-none-match': '*' };
  return condition === 'none' ? {} : matching(condition.version);
}

function matching(version: string): Readonly<Record<string, string>> {
  return version === '' ? {} : { 'if-match': quoted(version) };
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

/** Buckets of Google Cloud Storage (https://cloud.google.com/storage/docs/json_api/v1/objects). */
import { answeredByBearer, askedByBearer, type Asker, type Wish } from './bearer-bucket.ts';
import type { BearerIdentity } from './bearer-tokens.ts';
import type { Refusal } from './bodies.ts';
import { listed, type Bucket, type Condition, type Listing, type StoredObject } from './bucket.ts';
import { CloudBucket, type Ask, type Dialect } from './cloud-bucket.ts';
import { timeOf, wholeAnswer, type Answer, type Outside, type Heads } from './exchange.ts';
import type { GoogleOptions } from './google-credentials.ts';
import { codeIn, member, parseJson, textMember } from './json.ts';

const NO_FILE = 'there is no such file';
const ABOUT = 'name,generation,size,updated';

export function gcsBucket(
  bucket: string,
  { endpoint }: GoogleOptions,
  identity: BearerIdentity,
  outside: Outside,
): Bucket {
  return new CloudBucket(new Gcs(bucket, endpoint, { identity, outside, codeOf }));
}

class Gcs implements Dialect {
  readonly name: string;
  readonly #asker: Asker;
  readonly #path: string;
  readonly #endpoint: string;

  constructor(bucket: string, endpoint: string, asker: Asker) {
    this.name = `gs://${bucket}`;
    this.#asker = asker;
    this.#endpoint = endpoint;
    this.#path = `storage/v1/b/${encodeURIComponent(bucket)}/o`;
  }

  list(prefix: string, isWanted: (key: string) => boolean, signal: AbortSignal): Promise<Listing> {
    const at = `${this.name}/${prefix}`;
    return listed(at, isWanted, this.#asker.outside, async (pageToken) => {
      const more: Record<string, string> = pageToken === '' ? {} : { pageToken };
      const query = { prefix, fields: `items(${ABOUT}),nextPageToken`, ...more };
      const url = withQuery(`${this.#endpoint}/${this.#path}`, query);
      const missing = 'there is no such bucket';
      const permission = this.#needs('storage.objects.list');
      const wish: Wish = { method: 'GET', url, at, permission, missing };
      const { headers, text } = await answeredByBearer(this.#asker, wish, signal, wholeAnswer);
      const json = parseJson(text);
      const items = member(json, 'items');
      const objects = Array.isArray(items) ? items.map(objectOf) : [];
      return { objects, headers, next: textMember(json, 'nextPageToken') };
    });
  }

  async find(key: string, signal: AbortSignal): Promise<Listing> {
    const wish = this.#wish('GET', key, { fields: ABOUT });
    const answer = await answeredByBearer(this.#asker, wish, signal, wholeAnswer);
    const nowMs = timeOf(answer.headers, this.#asker.outside.nowMs());
    return { objects: [{ ...objectOf(parseJson(answer.text)), key }], nowMs };
  }

  reading(key: string, version: string, headers: Readonly<Record<string, string>> = {}): Ask {
    const query = { alt: 'media', ...(version === '' ? {} : { ifGenerationMatch: version }) };
    return askedByBearer(this.#asker, { ...this.#wish('GET', key, query), headers });
  }

  writing(key: string, body: Uint8Array<ArrayBuffer>, condition: Condition): Ask {
    const query = { uploadType: 'media', name: key, fields: ABOUT, ...queryOf(condition) };
    return askedByBearer(this.#asker, {
      ...this.#wish('POST', key, {}),
      url: withQuery(`${this.#endpoint}/upload/${this.#path}`, query),
      headers: { 'content-type': 'application/octet-stream' },
      body,
      missing: 'there is no such bucket',
    });
  }

  removing(key: string): Ask {
    return askedByBearer(this.#asker, this.#wish('DELETE', key, {}));
  }

  versionOf(headers: Heads): string {
    return headers.get('x-goog-generation') ?? '';
  }

  versionIn({ text }: Answer): string {
    return textMember(parseJson(text), 'generation');
  }

  isMissing({ status }: Refusal): boolean {
    return status === 404;
  }

  isNotSo({ status }: Refusal): boolean {
    return status === 412;
  }

  #wish(
    method: 'GET' | 'POST' | 'DELETE',
    key: string,
    query: Readonly<Record<string, string>>,
  ): Wish {
    const right = { GET: 'get', POST: 'create', DELETE: 'delete' }[method];
    return {
      method,
      url: withQuery(`${this.#endpoint}/${this.#path}/${encodeURIComponent(key)}`, query),
      at: `${this.name}/${key}`,
      permission: this.#needs(`storage.objects.${right}`),
      missing: NO_FILE,
    };
  }

  #needs(right: string): string {
    const role = /\.(get|list)$/.test(right)
      ? 'Storage Object Viewer (roles/storage.objectViewer)'
      : 'Storage Object User (roles/storage.objectUser)';
    return `${right} on ${this.name}, as the role ${role} has it`;
  }
}

function withQuery(address: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** Generation 0 is none. */
function queryOf(condition: Condition): Readonly<Record<string, string>> {
  if (condition === 'absent') return { ifGenerationMatch: '0' };
  return condition === 'none' ? {} : { ifGenerationMatch: condition.version };
}

function objectOf(item: unknown): StoredObject {
  return {
    key: textMember(item, 'name'),
    version: textMember(item, 'generation'),
    bytes: Number(textMember(item, 'size')),
    changedMs: Date.parse(textMember(item, 'updated')),
  };
}

function codeOf({ text }: Answer): string {
  const error = member(parseJson(text), 'error');
  const errors = member(error, 'errors');
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return codeIn(textMember(first, 'reason'));
}

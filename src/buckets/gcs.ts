/** Buckets of Google Cloud Storage (https://cloud.google.com/storage/docs/json_api/v1/objects). */
import { answeredByBearer, type Wish } from './bearer-bucket.ts';
import type { BearerIdentity } from './bearer-tokens.ts';
import { listed, type Bucket, type Listing, type StoredObject } from './bucket.ts';
import { timeOf, wholeAnswer, type Answer, type Outside } from './exchange.ts';
import type { GoogleOptions } from './google-credentials.ts';
import { codeIn, member, parseJson, textMember } from './json.ts';

const NO_FILE = 'there is no such file';
const LISTED = 'items(name,generation,size,updated),nextPageToken';

export function gcsBucket(
  bucket: string,
  { endpoint }: GoogleOptions,
  identity: BearerIdentity,
  outside: Outside,
): Bucket {
  const name = `gs://${bucket}`;
  const objectsUrl = `${endpoint}/storage/v1/b/${encodeURIComponent(bucket)}/o`;
  const answered = (wish: Wish, signal: AbortSignal): Promise<Response> =>
    answeredByBearer(wish, codeOf, identity, outside, signal);
  const needs = (right: string): string =>
    `${right} on ${name}, as the role Storage Object Viewer (roles/storage.objectViewer) has it`;
  return {
    name,
    list(prefix, isWanted, signal) {
      const at = `${name}/${prefix}`;
      return listed(at, isWanted, outside, async (pageToken) => {
        const url = new URL(objectsUrl);
        const more: Record<string, string> = pageToken === '' ? {} : { pageToken };
        const query = { prefix, fields: LISTED, ...more };
        for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
        const permission = needs('storage.objects.list');
        const missing = 'there is no such bucket';
        const wish: Wish = { method: 'GET', url, at, permission, missing };
        const { headers, text } = await wholeAnswer(await answered(wish, signal));
        const json = parseJson(text);
        const items = member(json, 'items');
        const objects = Array.isArray(items) ? items.map(objectOf) : [];
        return { objects, headers, next: textMember(json, 'nextPageToken') };
      });
    },
    async find(key, signal): Promise<Listing> {
      const url = new URL(`${objectsUrl}/${encodeURIComponent(key)}`);
      url.searchParams.set('fields', 'name,generation,size,updated');
      const permission = needs('storage.objects.get');
      const wish: Wish = { method: 'GET', url, at: `${name}/${key}`, permission, missing: NO_FILE };
      const answer = await wholeAnswer(await answered(wish, signal));
      const nowMs = timeOf(answer.headers, outside.nowMs());
      return { objects: [{ ...objectOf(parseJson(answer.text)), key }], nowMs };
    },
    read({ key, version }, signal) {
      const url = new URL(`${objectsUrl}/${encodeURIComponent(key)}`);
      url.searchParams.set('alt', 'media');
      url.searchParams.set('ifGenerationMatch', version);
      const permission = needs('storage.objects.get');
      const at = `${name}/${key}`;
      return answered({ method: 'GET', url, at, permission, missing: NO_FILE }, signal);
    },
  };
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

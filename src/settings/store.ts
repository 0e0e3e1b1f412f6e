/** Settings of where sets are stored. */
import { readBucketUrl, type BucketPlace } from '../buckets/index.ts';
import { MINUTE_MS, readBytes, readDuration, SECOND_MS } from '../query/index.ts';
import { isClickHouseUrl, readClickHouseUrl } from '../storage/clickhouse/clickhouse-url.ts';
import { PUSH_MODES, type PushMode } from '../storage/clickhouse/push-mode.ts';
import { path, secret } from './credential-rows.ts';
import type { Rows } from './settings.ts';

export type StorePlace =
  | { readonly kind: 'memory' }
  | { readonly kind: 'folder'; readonly folder: string }
  /** `url` as it is told. */
  | { readonly kind: 'bucket'; readonly place: BucketPlace; readonly url: string }
  /** A database of ClickHouse; the user's password is no part of it. */
  | { readonly kind: 'clickhouse'; readonly url: string };

export interface StoreSettings {
  /** Absent: the folder of `dataDir`, else memory. */
  readonly store: Exclude<StorePlace, { readonly kind: 'memory' }> | undefined;
  /** Budget of the files here that stand for sets of a store elsewhere. */
  readonly storeCacheBytes: number;
  /** Whether ClickHouse adds up rows that a question needs. */
  readonly storePush: PushMode;
  /** The password of the user of ClickHouse, or a file with it. */
  readonly storePassword: string | undefined;
  readonly storePasswordFile: string | undefined;
  /** What a server does; all: it builds and answers. */
  readonly role: Role;
  /** How long a builder of a shared store may be silent before another takes over. */
  readonly leaseMs: number;
}

export const ROLES = ['all', 'build', 'serve'] as const;

export type Role = (typeof ROLES)[number];

const CACHE_BYTES_MIN = 16 * 2 ** 20;

export const STORE_SETTINGS: Rows<StoreSettings> = {
  store: {
    key: 'store',
    env: 'STORE',
    help: 'where sets are stored: a folder, or a bucket or ClickHouse that several processes use at once',
    // A user in a URL would be hidden.
    accepted:
      'file:DIR, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, azblob://ACCOUNT/CONTAINER/PREFIX or clickhouse://HOST:PORT/DATABASE, with USER@ before HOST',
    example: 's3://costs/prorata',
    otherwise: 'the folder of --data-dir, else memory',
    fallback: () => undefined,
    read: (text) => readStore(text, '--store'),
  },
  storeCacheBytes: {
    key: 'storeCache',
    env: 'STORE_CACHE',
    help: 'disk for copies of sets that are elsewhere, in --data-dir/cache or else a temporary folder',
    accepted: 'an amount of at least 16Mi',
    example: '10GiB',
    otherwise: '4Gi',
    fallback: () => 4 * 2 ** 30,
    read(text) {
      const bytes = readBytes(text);
      return bytes !== undefined && bytes >= CACHE_BYTES_MIN ? bytes : undefined;
    },
  },
  storePush: {
    key: 'storePush',
    env: 'STORE_PUSH',
    help: 'whether ClickHouse adds up rows: auto: the first times that a set is asked for',
    accepted: PUSH_MODES.join(', '),
    example: 'never',
    otherwise: 'auto',
    fallback: () => 'auto',
    read: (text) => PUSH_MODES.find((mode) => mode === text),
  },
  storePassword: {
    ...secret('storePassword', 'STORE_PASSWORD', 'password of the user of ClickHouse'),
    accepted: 'a line of text',
    read: (text) => (/^\P{Cc}{1,4096}$/u.test(text) ? text : undefined),
  },
  storePasswordFile: path('storePasswordFile', 'STORE_PASSWORD_FILE', 'with that password'),
  role: {
    key: 'role',
    env: 'ROLE',
    help: 'what a server does: build: days, no answers; serve: answers, no days; all: both',
    accepted: ROLES.join(', '),
    example: 'serve',
    otherwise: 'all',
    fallback: () => 'all',
    read: (text) => ROLES.find((role) => role === text),
  },
  leaseMs: {
    key: 'lease',
    env: 'LEASE',
    help: 'how long the builder of a bucket may be silent before another takes over',
    accepted: 'a duration of 3s to 10m',
    example: '30s',
    otherwise: '30s',
    fallback: () => 30 * SECOND_MS,
    read(text) {
      const ms = readDuration(text);
      return ms !== undefined && ms >= 3 * SECOND_MS && ms <= 10 * MINUTE_MS ? ms : undefined;
    },
  },
};

/** Where the configuration says that sets are stored. */
export function storeOf({
  store,
  dataDir,
}: Pick<StoreSettings, 'store'> & { readonly dataDir: string | undefined }): StorePlace {
  if (store !== undefined) return store;
  return dataDir === undefined ? { kind: 'memory' } : { kind: 'folder', folder: dataDir };
}

/** As it is told. */
export function nameOfStorePlace(place: StorePlace): string | undefined {
  if (place.kind === 'memory') return undefined;
  return place.kind === 'folder' ? place.folder : place.url;
}

/**
 * @param parameter that has the text, for messages
 * @throws {Fault} for a database of ClickHouse, naming the part of its URL that is not accepted
 */
export function readStore(text: string, parameter: string): StoreSettings['store'] {
  const [, folder] = /^file:(\P{Cc}{1,4096})$/u.exec(text) ?? [];
  if (folder !== undefined) return { kind: 'folder', folder: folder.replace(/^\/\/(?=\/)/, '') };
  if (isClickHouseUrl(text)) {
    readClickHouseUrl(text, parameter, '');
    return { kind: 'clickhouse', url: text };
  }
  const place = readBucketUrl(text);
  // A key that does not end with a slash is a file of bills.
  if (place === undefined || (place.key !== '' && !place.key.endsWith('/'))) return undefined;
  return { kind: 'bucket', place, url: text };
}

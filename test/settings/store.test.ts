/** Where sets are stored, as it is written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../src/settings/config.ts';
import { nameOfStorePlace, storeOf, type StorePlace } from '../../src/settings/store.ts';

function placeOf(argv: readonly string[]): StorePlace {
  return storeOf(loadConfig(argv, {}, () => '').config);
}

const PLACES: readonly (readonly [store: string, place: object])[] = [
  ['file:data', { kind: 'folder', folder: 'data' }],
  ['file:/var/lib/a b', { kind: 'folder', folder: '/var/lib/a b' }],
  ['file:///var/lib', { kind: 'folder', folder: '/var/lib' }],
  ['s3://costs', { kind: 'bucket', place: { cloud: 's3', account: '', bucket: 'costs', key: '' } }],
  ['gs://costs/a/b', { kind: 'bucket', place: { cloud: 'gs', account: '', bucket: 'costs', key: 'a/b/' } }],
  ['azblob://acc1/costs/a/', { kind: 'bucket', place: { cloud: 'azblob', account: 'acc1', bucket: 'costs', key: 'a/' } }],
  ['clickhouse://host', { kind: 'clickhouse' }],
  ['clickhouse://me@10.0.0.1:9999/db_1?secure=true', { kind: 'clickhouse' }],
]; // prettier-ignore
for (const [store, place] of PLACES)
  test(`--store ${store} is a place`, () => {
    const found = placeOf([`--store=${store}`, '--data-dir=other']);
    const told = 'place' in place || store.startsWith('clickhouse') ? { url: store } : {};
    assert.deepEqual(found, { ...place, ...told });
    assert.ok(store.endsWith(nameOfStorePlace(found) ?? 'nothing'));
  });

test('without --store sets are in the folder, or in memory', () => {
  assert.deepEqual(placeOf(['--data-dir=data']), { kind: 'folder', folder: 'data' });
  assert.deepEqual(placeOf([]), { kind: 'memory' });
  assert.equal(nameOfStorePlace({ kind: 'memory' }), undefined);
});

const REFUSED = [
  'data',
  'file:',
  's3://',
  's3://costs/month.csv',
  's3://me:secret@costs/',
  'https://costs/',
  'azblob://acc1',
];
/** All of it can be read, though URLs with users are hidden in messages. */
const ACCEPTED =
  /^--store: '.*' is not file:DIR, s3:.*CONTAINER\/PREFIX or clickhouse:\/\/HOST:PORT\/DATABASE, with USER@ before HOST$/;
for (const store of REFUSED)
  test(`--store ${store} is refused, with what is accepted`, () => {
    assert.throws(
      () => placeOf([`--store=${store}`]),
      (error: Error & { hint?: string }) => {
        assert.match(error.message, ACCEPTED);
        assert.doesNotMatch(error.message, /secret/);
        assert.equal(error.hint, 'for example s3://costs/prorata');
        return true;
      },
    );
  });

const REFUSED_DATABASES: readonly (readonly [store: string, why: RegExp])[] = [
  ['clickhouse://host:99999/db', /'--store': '.*' is not a URL of a database$/],
  ['clickhouse://me:secret@host/db', /^--store has a password in it/],
  ['clickhouse://host/db?x=1', /'--store': 'x' is not an option of the URL$/],
];
for (const [store, why] of REFUSED_DATABASES)
  test(`--store ${store} is refused, with what is wrong about it`, () => {
    assert.throws(
      () => placeOf([`--store=${store}`]),
      (error: Error & { hint?: string }) => {
        assert.match(error.message, why);
        assert.doesNotMatch(`${error.message} ${error.hint}`, /secret/);
        return true;
      },
    );
  });

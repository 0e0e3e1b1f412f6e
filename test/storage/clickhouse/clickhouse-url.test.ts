/** Databases of ClickHouse as a URL names them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../src/query/index.ts';
import { readClickHouseUrl } from '../../../src/storage/clickhouse/clickhouse-url.ts';

test('a URL names the server, the user and the database, with defaults for all but the host', () => {
  const read = (text: string, password = ''): object => readClickHouseUrl(text, '--to', password);
  assert.deepEqual(read('clickhouse://localhost'), {
    origin: 'http://localhost:8123',
    user: 'default',
    password: '',
    database: 'prorata',
    isPacked: false,
  });
  assert.deepEqual(read('clickhouse://a%40b@ch.example/my%20db?secure=true', 'p/w'), {
    origin: 'https://ch.example:8443',
    user: 'a@b',
    password: 'p/w',
    database: 'my db',
    isPacked: true,
  });
  assert.deepEqual(read('clickhouse://[::1]:9123/x/?gzip=true', 'p'), {
    origin: 'http://[::1]:9123',
    user: 'default',
    password: 'p',
    database: 'x',
    isPacked: true,
  });
});

test('a URL names a cluster, the addresses of its shards, and whether replicas are alike', () => {
  const cluster = (text: string): unknown => readClickHouseUrl(text, '--to', '').cluster;
  assert.deepEqual(cluster('clickhouse://ch/db?cluster=costs'), {
    name: 'costs',
    isReplicated: false,
  });
  const hosts = 'a|b:9123,[::1]:1|c';
  assert.deepEqual(
    cluster(`clickhouse://ch:8443/db?secure=true&cluster=x&replicated=true&hosts=${hosts}`),
    {
      name: 'x',
      isReplicated: true,
      origins: [
        ['https://a:8443', 'https://b:9123'],
        ['https://[::1]:1', 'https://c:8443'],
      ],
    },
  );
});

const REFUSED: readonly (readonly [text: string, password: string, message: RegExp])[] = [
  ['clickhouse://', '', /'--to'.*is not a URL of a database/],
  ['clickhouse://me:hunter2@host/db', '', /--to has a password in it/],
  ['clickhouse://host/db', 'hunter2', /would send a password unencrypted to host/],
  ['clickhouse://host/db?secur=true', '', /'secur' is not an option of the URL/],
  ['clickhouse://host/db?secure=yes', '', /'secure=yes' is not an option/],
  ['clickhouse://host/db?cluster=', '', /needs the name of a cluster/],
  ['clickhouse://host/db?replicated=true', '', /replicated=true needs the name of a cluster/],
  ['clickhouse://host/db?hosts=a', '', /hosts needs the name of a cluster/],
  ['clickhouse://host/db?cluster=x&hosts=a,,b', '', /'hosts=' is not the address of a server/],
  ['clickhouse://host/db?cluster=x&hosts=a/b', '', /'hosts=a\/b' is not the address/],
  ['clickhouse://host/db?cluster=x&hosts=a:99999', '', /is not the address of a server/],
  ['clickhouse://host/100%', '', /is not encoded as names in URLs are/],
];

test('what a URL cannot mean is refused by name, and no password is told', () => {
  for (const [text, password, message] of REFUSED) {
    assert.throws(
      () => readClickHouseUrl(text, '--to', password),
      (error) => {
        assert.ok(error instanceof Fault, text);
        assert.match(error.message, message);
        assert.doesNotMatch(`${error.message} ${error.hint}`, /hunter2/);
        return true;
      },
    );
  }
});

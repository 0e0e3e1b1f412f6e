/** The reader chosen for a store, and credentials. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  createCredentials,
  openStore,
  readTls,
  type CredentialOptions,
  type OpenStoreOptions,
  type ReaderName,
} from '../../src/metrics/index.ts';
import { startPrometheus } from '../support/stores/prometheus.ts';
import { readBatches } from '../support/references/read-batches.ts';
import { matrix } from '../support/stores/reader-replies.ts';
import { LIMITS, RANGE, SELECTION, withStore } from '../support/stores/remote-reading.ts';
import {
  answering,
  streaming,
  type Reply,
  type SeenRequest,
} from '../support/stores/scripted-store.ts';
import { requireService, skipWithout } from '../support/servers/services.ts';
import { startVictoria, VICTORIA } from '../support/stores/victoria.ts';

const SIGNAL = new AbortController().signal;
const STREAM = 'application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse';
const NO = answering(404, 'not here');
const VECTOR = answering(200, '{"status":"success","data":{"resultType":"vector","result":[]}}');

async function choose(options: Partial<OpenStoreOptions> & { url: string }): Promise<ReaderName> {
  const store = openStore({ reader: 'auto', ...LIMITS, ...options });
  try {
    return await store.chosen(SIGNAL);
  } finally {
    await store.close();
  }
}

const CHOICES: readonly (readonly [what: string, script: readonly Reply[], reader: ReaderName])[] =
  [
    ['streams remote reads', [streaming()], 'remote-read'],
    ['exports', [NO, answering(200, '')], 'victoria-export'],
    ['answers queries only', [NO, NO, VECTOR], 'query-range'],
    [
      'reads remotely without streaming',
      [answering(200, '', { 'Content-Type': 'application/x-protobuf' }), NO, VECTOR],
      'query-range',
    ],
    ['forbids remote reads', [answering(403, ''), answering(403, ''), VECTOR], 'query-range'],
    ['does not implement them', [answering(501, ''), answering(405, ''), VECTOR], 'query-range'],
  ];

describe('a store', { timeout: 30_000 }, () => {
  for (const [what, script, reader] of CHOICES)
    test(`is read by ${reader} if it ${what}`, () =>
      withStore(script, async ({ url, requests }) => {
        assert.equal(await choose({ url }), reader);
        assert.equal(requests.length, script.length);
      }));

  test('fails by name if it supports no reader', () =>
    withStore([answering(401, 'who are you?')], async ({ url }) => {
      await assert.rejects(choose({ url }), {
        name: 'Unavailable',
        message: `cannot read metrics store at ${url}: it answered 401: who are you?`,
      });
    }));

  test('is probed again by the next read if it is busy', () =>
    withStore([answering(503, 'wait'), streaming()], async ({ url, requests }) => {
      const store = openStore({ url, reader: 'auto', ...LIMITS });
      await assert.rejects(store.chosen(SIGNAL), { name: 'Unavailable', status: 503 });
      assert.equal(await store.chosen(SIGNAL), 'remote-read');
      assert.equal(await store.chosen(SIGNAL), 'remote-read');
      assert.equal(store.readerName, 'remote-read');
      assert.equal(requests.length, 2);
      await store.close();
    }));

  test('is probed once for concurrent reads, and an aborted read does not stop the others', () =>
    withStore([NO, NO, VECTOR, answering(200, matrix([]))], async ({ url, requests }) => {
      const store = openStore({ url, reader: 'auto', ...LIMITS });
      const stop = new AbortController();
      const stopped = store.chosen(stop.signal);
      const read = readBatches(store.read(SELECTION, RANGE, SIGNAL));
      stop.abort(new Error('enough'));
      await assert.rejects(stopped, { message: 'enough' });
      assert.equal((await read).size, 0);
      assert.equal(requests.length, 4);
      assert.equal(store.name, `Prometheus at ${url}`);
      await store.close();
    }));

  test('is not probed if the reader is configured', () =>
    withStore([NO], async ({ url, requests }) => {
      assert.equal(await choose({ url, reader: 'victoria-export' }), 'victoria-export');
      assert.equal(requests.length, 0);
    }));

  test(`such as Prometheus streams`, { skip: skipWithout('prometheus') }, async () => {
    const prometheus = await startPrometheus();
    try {
      assert.equal(await choose(prometheus), 'remote-read');
    } finally {
      await prometheus.stop();
    }
  });

  test(`such as VictoriaMetrics exports`, { skip: skipWithout(VICTORIA) }, async () => {
    const victoria = await startVictoria();
    try {
      assert.equal(await choose(victoria), 'victoria-export');
    } finally {
      await victoria.stop();
    }
  });
});

async function headersWith(options: CredentialOptions): Promise<SeenRequest['headers']> {
  let headers: SeenRequest['headers'] = {};
  await withStore([streaming()], async ({ url, requests }) => {
    await choose({ url, credentials: createCredentials(options) });
    headers = requests[0]?.headers ?? {};
  });
  return headers;
}

async function withFile(text: string, use: (path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'prorata-credentials-'));
  const path = join(folder, 'file');
  await writeFile(path, text);
  try {
    await use(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const BASIC = `Basic ${Buffer.from('me:pä:ss').toString('base64')}`;

describe('credentials', () => {
  test('with a user, a tenant and further headers reach the store', async () => {
    const headers = await headersWith({
      user: 'me',
      password: 'pä:ss',
      tenant: 'team-a',
      headers: { 'X-Team': 'costs' },
    });
    assert.equal(headers.authorization, BASIC);
    assert.equal(headers['x-scope-orgid'], 'team-a');
    assert.equal(headers['x-team'], 'costs');
  });

  test('with a token reach the store, and a renewed file is read again', () =>
    withFile('first\n', async (tokenFile) => {
      const credentials = createCredentials({ tokenFile });
      assert.deepEqual(credentials(), { Authorization: 'Bearer first' });
      await writeFile(tokenFile, 'second');
      await utimes(tokenFile, new Date(), new Date(Date.now() + 5000));
      assert.deepEqual(credentials(), { Authorization: 'Bearer second' });
      assert.equal((await headersWith({ tokenFile })).authorization, 'Bearer second');
    }));

  const REFUSED: readonly (readonly [what: string, options: CredentialOptions, says: RegExp])[] = [
    ['a user and a token', { user: 'a', password: 'b', token: 'c' }, /takes one of them/],
    ['a password without a user', { password: 'b' }, /both a user and a password/],
    ['a user without a password', { user: 'a' }, /both a user and a password/],
    ['a file that is not there', { tokenFile: '/no/such' }, /token from \/no\/such$/],
  ];
  for (const [what, options, says] of REFUSED)
    test(`${what} are refused at once`, () => {
      assert.throws(() => createCredentials(options), { name: 'Fault', message: says });
    });

  test('with two lines are refused, and not shown', () =>
    withFile('secret\nX-Evil: 1\n', (tokenFile) => {
      assert.throws(
        () => createCredentials({ tokenFile }),
        (error: Error) => /one line/.test(error.message) && !error.message.includes('secret'),
      );
      return Promise.resolve();
    }));
});

test(
  'a certificate of our own authority is accepted with its file, and refused without',
  { skip: skipWithout('openssl') },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prorata-tls-'));
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const files = ['-keyout', key, '-out', cert];
    execFileSync(
      requireService('openssl') ?? '',
      ['req', '-x509', ...newKey, ...files, ...subject],
      { stdio: 'ignore' },
    );
    const server = createServer(
      { cert: await readFile(cert), key: await readFile(key) },
      (_, response) => response.writeHead(200, { 'Content-Type': STREAM }).end(),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      assert.equal(await choose({ url, tls: readTls({ caFile: cert }) }), 'remote-read');
      await assert.rejects(choose({ url }), /the TLS certificate is not accepted/);
      assert.throws(() => readTls({ certFile: cert }), { name: 'Fault' });
      assert.throws(() => readTls({ caFile: folder }), { name: 'Fault', message: /cannot read/ });
    } finally {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    }
  },
);

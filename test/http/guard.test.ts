/** Names and origins of requests, over real sockets: nothing gets past, whatever its path. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { isAllowedHost } from '../../src/http/index.ts';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { exchange } from './front-ends.ts';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';

const HOSTS: readonly (readonly [host: string, isAllowed: boolean])[] = [
  ['127.0.0.1:9003', true],
  ['10.1.2.3', true],
  ['[::1]:9003', true],
  ['[fe80::1]', true],
  ['localhost', true],
  ['LocalHost:9003', true],
  ['app.localhost:1', true],
  ['prorata:9003', true],
  ['prorata.monitoring.svc:9003', true],
  ['prorata.monitoring.svc.cluster.local', true],
  ['prorata.monitoring.svc.cluster.local.:9003', true],
  ['nas.local', true],
  ['costs.example.com', true],
  ['COSTS.example.com:443', true],
  ['a.teams.example.com', true],
  ['a.b.teams.example.com', true],
  ['teams.example.com', false],
  ['evil.com', false],
  ['127.0.0.1.evil.com', false],
  ['localhost.evil.com:9003', false],
  ['evil.com:127.0.0.1', false],
  ['prorata.svc.evil.com', false],
  ['xcosts.example.com', false],
  ['costs.example.com.evil.com', false],
  ['evilteams.example.com', false],
  ['user@localhost', false],
  ['localhost/evil.com', false],
  ['[::1', false],
  ['[evil.com]', false],
  ['evil.com.', false],
  [':9003', false],
];

for (const [host, expected] of HOSTS)
  test(`the name ${host} is ${expected ? 'ours' : 'refused'}`, () => {
    assert.equal(isAllowedHost(host, ['costs.example.com', '*.teams.example.com']), expected);
  });

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

for (const frontEnd of FRONT_END_NAMES)
  describe(`a server on ${frontEnd}`, () => {
    let server: OwnServer;
    before(async () => {
      server = await startOwnServer([
        '--demo=true',
        `--front-end=${frontEnd}`,
        '--allowed-hosts=costs.example.com',
        '--cluster-controller=true',
      ]);
    });
    after(async () => {
      assert.deepEqual(server.errors, []);
      await server.stop();
    });

    /** @returns status and text of what one socket gets */
    const send = async ({
      method = 'GET',
      path = '/healthz',
      headers = {},
      body = '',
    }: Sent): Promise<[number, string]> => {
      const { port } = new URL(server.url);
      const socket = connect(Number(port), '127.0.0.1');
      const all = { host: `127.0.0.1:${port}`, connection: 'close', ...headers };
      const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const lines = Object.entries({ ...all, ...length }).map(
        ([name, value]) => `${name}: ${value}`,
      );
      socket.end(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
      let text = '';
      socket.setEncoding('utf8').on('data', (part: string) => (text += part));
      await once(socket, 'close');
      return [Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text];
    };

    const NAMED = ['/', '/healthz', '/readyz', '/model/allocation?window=1d', '/nothing', '/%00'];
    for (const path of NAMED)
      for (const method of ['GET', 'HEAD', 'OPTIONS'])
        test(`S-12: ${method} ${path} under the name of another site is 421`, async () => {
          const [status, text] = await send({ method, path, headers: { host: 'evil.com' } });
          assert.equal(status, 421);
          if (method !== 'HEAD') assert.match(text, /'evil.com' is not a name.*--allowed-hosts/);
          const [own] = await send({ method, path, headers: { host: 'costs.example.com' } });
          assert.notEqual(own, 421);
        });

    test('S-17: every route that changes something refuses pages of other sites, and their types', async () => {
      const writes = server.routes.filter(({ method }) => method !== 'GET');
      assert.ok(writes.length >= 12, `${writes.length} routes`);
      for (const { method, path } of writes) {
        const model = path.startsWith('/model/') ? path : `/model${path}`;
        for (const each of [path, model]) {
          const sent = { method, path: each, body: '{}' };
          for (const headers of [
            { origin: 'https://evil.com' },
            { origin: 'null' },
            { origin: 'http://127.0.0.1:1' },
            { 'sec-fetch-site': 'cross-site' },
            { 'sec-fetch-site': 'same-site' },
          ]) {
            const json = { 'content-type': 'application/json', ...headers };
            const [status, text] = await send({ ...sent, headers: json });
            assert.equal(status, 403, `${method} ${each} ${JSON.stringify(headers)}: ${text}`);
          }
          if (ANY_TYPE.includes(path.replace('/model', ''))) continue;
          const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp', '']; // prettier-ignore
          for (const type of types) {
            const headers = type === '' ? {} : { 'content-type': type };
            const [status, text] = await send({ ...sent, headers });
            assert.equal(status, 415, `${method} ${each} ${type}: ${text}`);
          }
        }
      }
    });

    test('a page of its own, and programs, may change something', async () => {
      const path = '/model/collections';
      const body = JSON.stringify({ name: 'Shop', category: 'Team', groups: [] });
      const origin = server.url;
      for (const headers of [{}, { origin, 'sec-fetch-site': 'same-origin' }]) {
        const json = { 'content-type': 'application/json; charset=utf-8', ...headers };
        const [status, text] = await send({ method: 'POST', path, headers: json, body });
        assert.ok(![403, 415, 421].includes(status), text);
      }
    });
  });

/** They take YAML, and lines with a token. */
const ANY_TYPE = ['/prediction/speccost', '/customCost'];

describe('an address that others reach', () => {
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.com'])
    test(`S-12: ${host} is refused, as nobody has to sign in`, async () => {
      await assert.rejects(startOwnServer(['--demo=true', `--host=${host}`]), {
        name: 'Fault',
        message: /--host .* is reached by others than this machine/,
      });
    });

  test('S-1: is served where that is wanted, by the strict parser unless another is named', async () => {
    const server = await startOwnServer(['--demo=true', '--host=0.0.0.0', '--insecure-bind=true']);
    const { port } = new URL(server.url);
    const hidden = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n: a\r\nContent-Length: 9\r\n\r\n';
    assert.match(await exchange(Number(port), hidden), /^HTTP\/1\.1 400 /);
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
    assert.equal(answer.status, 200);
    await answer.text();
    await server.stop();
  });
});

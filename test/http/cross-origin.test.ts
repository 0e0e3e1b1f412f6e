/** Which pages of other origins may read answers, send who asks, and change things, on both front ends. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';

const LISTED = ['https://example.com', 'http://localhost:3000'];
/** Origins that look like listed ones, and are not. */
const OTHERS: readonly string[] = [
  'null', 'http://example.com', 'https://example.com:8443', 'https://evil-example.com', 'https://example.com.evil.com',
  'https://sub.example.com', 'https://EXAMPLE.com', 'https://example.com/', 'http://localhost', 'http://localhost:30000', '*',
]; // prettier-ignore

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

for (const frontEnd of FRONT_END_NAMES)
  describe(`pages of other origins, ${frontEnd}`, () => {
    let server: OwnServer;
    before(async () => {
      const flags = ['--demo=true', '--refresh=0', `--front-end=${frontEnd}`];
      server = await startOwnServer([
        ...flags,
        '--cors-origins=https://Example.com:443,http://localhost:3000',
      ]);
    });
    after(() => server.stop());

    /** Not by fetch, which refuses to send some of these headers. */
    const send = (path: string, headers: Record<string, string>, method = 'GET'): Promise<Got> =>
      new Promise((resolve, reject) => {
        const sent = request(server.url + path, { method, headers }, (reply) => {
          reply.resume();
          reply.on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers }));
        });
        sent.on('error', reject).end();
      });
    const preflight = (path: string, origin: string, method: string): Promise<Got> =>
      send(path, { origin, 'access-control-request-method': method }, 'OPTIONS');
    const allowed = ({ headers }: Got): unknown[] => [
      headers['access-control-allow-origin'],
      headers['access-control-allow-credentials'],
    ];

    for (const origin of LISTED)
      test(`${origin} is listed: it may read with cookies, and change things`, async () => {
        const read = await send('/version', { origin, cookie: 'a=b' });
        assert.equal(read.status, 200);
        assert.deepEqual(allowed(read), [origin, 'true']);
        assert.match(String(read.headers['vary']), /\borigin\b/);
        const asked = await preflight('/model/prediction/speccost', origin, 'POST');
        assert.equal(asked.status, 204);
        assert.deepEqual(allowed(asked), [origin, 'true']);
        assert.match(String(asked.headers['access-control-allow-methods']), /\bPOST\b/);
        assert.match(String(asked.headers['access-control-allow-headers']), /\bauthorization\b/);
        const written = await send('/model/prediction/speccost', { origin }, 'POST');
        assert.notEqual(written.status, 403);
        assert.deepEqual(allowed(written), [origin, 'true']);
      });

    for (const origin of OTHERS)
      test(`${origin} is not listed: it may read without cookies alone`, async () => {
        assert.deepEqual(allowed(await send('/version', { origin })), ['*', undefined]);
        for (const who of [{ cookie: 'a=b' }, { authorization: 'Bearer x' }] as const) {
          const read = await send('/version', { origin, ...who });
          assert.deepEqual(allowed(read), [undefined, undefined]);
          assert.match(String(read.headers['vary']), /\borigin\b/);
        }
        const asked = await preflight('/model/prediction/speccost', origin, 'POST');
        assert.deepEqual(allowed(asked), ['*', undefined]);
        assert.equal(asked.headers['access-control-allow-methods'], 'GET, HEAD');
        assert.doesNotMatch(String(asked.headers['access-control-allow-headers']), /authorization/);
        const written = await send('/model/prediction/speccost', { origin }, 'POST');
        assert.equal(written.status, 403);
        assert.deepEqual(allowed(written), [undefined, undefined]);
      });

    test('a request that names no origin is told that answers differ by it', async () => {
      const read = await send('/version', {});
      assert.deepEqual(allowed(read), [undefined, undefined]);
      assert.match(String(read.headers['vary']), /\borigin\b/);
    });

    test('a browser that asks beforehand is answered whatever the path', async () => {
      for (const path of ['/', '/metrics', '/model/allocation', '/no/such/path'])
        assert.equal((await preflight(path, 'https://other.com', 'GET')).status, 204, path);
    });
  });

for (const frontEnd of FRONT_END_NAMES)
  describe(`pages of other origins that are shut out, ${frontEnd}`, () => {
    const LISTED_ONE = 'https://example.com';
    const cases = [
      ['none', []],
      ['none,https://example.com', [LISTED_ONE]],
    ] as const;
    for (const [origins, listed] of cases)
      test(`--cors-origins ${origins}: others get no header, whatever they ask`, async () => {
        const flags = ['--demo=true', '--refresh=0', `--front-end=${frontEnd}`];
        const server = await startOwnServer([...flags, `--cors-origins=${origins}`]);
        const got = async (
          origin: string,
          method: string,
          more: Readonly<Record<string, string>> = {},
        ): Promise<(string | null)[]> => {
          const { headers } = await fetch(`${server.url}/version`, {
            method,
            headers: { ...more, origin },
          });
          return ['origin', 'methods', 'credentials'].map((name) =>
            headers.get(`access-control-allow-${name}`),
          );
        };
        try {
          const asked = { 'access-control-request-method': 'GET' };
          for (const origin of ['https://other.com', 'null']) {
            assert.deepEqual(await got(origin, 'GET'), [null, null, null], origin);
            assert.deepEqual(await got(origin, 'OPTIONS', asked), [null, null, null], origin);
          }
          for (const origin of listed) {
            assert.deepEqual(await got(origin, 'GET'), [origin, null, 'true']);
            const [, methods] = await got(origin, 'OPTIONS', asked);
            assert.match(methods ?? '', /\bPOST\b/);
          }
        } finally {
          await server.stop();
        }
      });
  });

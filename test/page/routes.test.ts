/** The page as it is served: to whom, with which headers, how large. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { compressing, gated, router } from '../../src/http/index.ts';
import { openPaths } from '../../src/server/access/open-gate.ts';
import { pageRoutes } from '../../src/page/routes.ts';
import { FRONT_ENDS, serving } from '../http/front-ends.ts';

/** HTML, script, style and icon, as they travel. */
const ALL_MAX = 90 * 1024;
const INDEX = 'GET /model/allocation\n';
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const PARTS = ['page.js', 'page.css', 'icon.svg'] as const;

interface Got {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Nothing is decompressed, and no header is added. */
async function get(port: number, path: string, headers: Record<string, string>): Promise<Got> {
  return await new Promise<Got>((resolve, reject) => {
    const asked = request({ port, path, host: '127.0.0.1', headers, agent: false }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('error', reject);
      reply.on('end', () => {
        const body = Buffer.concat(chunks);
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body });
      });
    });
    asked.on('error', reject).end();
  });
}

/** Where one has to sign in, and nobody has. */
function handler(): ReturnType<typeof compressing> {
  const routes = pageRoutes(INDEX);
  const identify = (): { why: string; isRefused: false } => ({ why: 'sign in', isRefused: false });
  const gate = { identify, isOpen: openPaths(routes), isPrivate: true };
  return compressing(gated(router(routes, { log: () => undefined }), gate));
}

function versionsOf(html: string): Map<string, string> {
  return new Map(
    [...html.matchAll(/"ui\/([\w.]+)\?v=(\w+)"/g)].map(([, name = '', v = '']) => [name, v]),
  );
}

for (const { name, frontEnd } of FRONT_ENDS) {
  describe(`the page over ${name}`, () => {
    test('browsers get it at / and anybody at /ui, others the list of routes at /', async () => {
      await serving(frontEnd, handler(), async ({ port }) => {
        for (const [path, headers, isPage] of [
          ['/', BROWSER, true],
          ['/', { accept: 'application/json' }, false],
          ['/', { accept: '*/*' }, false],
          ['/', {}, false],
          ['/ui', BROWSER, true],
          ['/ui', {}, true],
        ] as const) {
          const got = await get(port, path, headers);
          const about = `${path} ${JSON.stringify(headers)}`;
          assert.equal(got.status, 200, about);
          assert.equal(got.body.toString().startsWith('<!doctype html>'), isPage, about);
          if (!isPage) assert.equal(got.body.toString(), INDEX, about);
          if (path === '/') assert.match(String(got.headers.vary), /^accept\b(?!-)/, about);
        }
      });
    });

    test('parts of this version are kept for ever, others are asked for again', async () => {
      await serving(frontEnd, handler(), async ({ port }) => {
        const html = await get(port, '/ui', {});
        assert.equal(html.headers['cache-control'], 'no-cache');
        const versions = versionsOf(html.body.toString());
        assert.deepEqual([...versions.keys()].toSorted(), [...PARTS].toSorted());
        for (const [part, version] of versions) {
          for (const [query, caching] of [
            [`?v=${version}`, 'public, max-age=31536000, immutable'],
            ['?v=0', 'no-cache'],
            ['', 'no-cache'],
          ]) {
            const path = `/ui/${part}${query}`;
            const plain = await get(port, path, {});
            assert.equal(plain.headers['cache-control'], caching, path);
            const short = await get(port, path, { 'accept-encoding': 'gzip' });
            const isCompressed = short.headers['content-encoding'] === 'gzip';
            assert.equal(isCompressed, part !== 'icon.svg', path);
            if (isCompressed) assert.deepEqual(gunzipSync(short.body), plain.body, path);
            for (const { headers } of [plain, short]) {
              const again = { 'if-none-match': String(headers.etag), 'accept-encoding': 'gzip' };
              const same = await get(port, path, again);
              assert.equal(same.status, 304, path);
              assert.equal(same.headers.etag, headers.etag, path);
            }
          }
        }
      });
    });

    test('nothing is loaded from elsewhere, and no other page shows it', async () => {
      await serving(frontEnd, handler(), async ({ port }) => {
        const { headers, body } = await get(port, '/ui', {});
        const policy = "default-src 'self'; frame-ancestors 'none'";
        assert.equal(headers['content-security-policy'], policy);
        assert.equal(headers['x-content-type-options'], 'nosniff');
        const html = body.toString();
        assert.doesNotMatch(
          html,
          /<style|\bstyle=|\bon\w+=|https?:|<script(?! type="module" src="ui)/,
        );
      });
    });
  });
}

test(`the page travels as at most ${ALL_MAX} bytes`, () => {
  const folder = new URL('../../dist/page/', import.meta.url);
  const names = ['page.html.gz', 'page.js.gz', 'page.css.gz', 'icon.svg'];
  const sizes = names.map((name) => readFileSync(new URL(name, folder)).length);
  const all = sizes.reduce((sum, each) => sum + each, 0);
  assert.ok(all <= ALL_MAX, `${all} bytes: ${sizes.join(' + ')}`);
  assert.ok(all > 4096, 'it is there');
});

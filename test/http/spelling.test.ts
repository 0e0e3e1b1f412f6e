/** Paths with slashes too many lead to the route that is meant, and forms are read as queries, by both front ends. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { json, ownVisit, paramsOf, type Route } from '../../src/http/index.ts';
import { openRouter } from '../support/servers/open-router.ts';
import { anyUnicode } from '../support/arbitraries/unicode.ts';
import { exchange, FRONT_ENDS, serving } from './front-ends.ts';

const route = (method: Route['method'], path: string, more: Partial<Route> = {}): Route => ({
  method,
  path,
  needs: 'nobody',
  scoping: 'unneeded',
  handle: (request) => json({ a: paramsOf(request).text('a') ?? null, body: request.body.length }),
  ...more,
});

const ROUTES: readonly Route[] = [
  route('GET', '/'),
  route('GET', '/allocation'),
  route('POST', '/allocation'),
  route('GET', '/cloudCost/view/table'),
  route('GET', '/old', { dialect: 'opencost' }),
];
const HANDLER = openRouter(ROUTES, { log: assert.fail, dialects: 'prefix' });

/** Sends and receives UTF-8. */
async function said(port: number, text: string): Promise<string> {
  const answer = await exchange(port, Buffer.from(text).toString('latin1'));
  return Buffer.from(answer, 'latin1').toString();
}

/** What a request line is answered with: the status, and the place or the parameter `a`. */
const LINES: readonly (readonly [line: string, status: number, location?: string])[] = [
  ['GET //model/allocation?window=7d', 301, '/model/allocation?window=7d'],
  ['GET /model//allocation/', 301, '/model/allocation'],
  ['GET /model/allocation/?a=1&b=%2F%2F', 301, '/model/allocation?a=1&b=%2F%2F'],
  ['HEAD /allocation////', 301, '/allocation'],
  ['GET /Model/ALLOCATION', 301, '/model/allocation'],
  ['GET /cloudcost/view/table', 301, '/cloudCost/view/table'],
  ['GET //', 301, '/'],
  ['POST /allocation/', 308, '/allocation'],
  ['GET /OLD', 301, '/old'],
  // Below the prefix there is no such route.
  ['GET /model/OLD', 404],
  ['DELETE /allocation/', 404],
  ['OPTIONS /allocation/', 404],
  ['GET //evil.example/', 404],
  ['GET //evil.example/allocation', 404],
  ['GET /%2f/evil.example/allocation', 404],
  ['GET /allocation%2f', 404],
  ['GET /allocation/..//', 404],
];

describe('a path is redirected to the route that is meant', { concurrency: true }, () => {
  for (const { name, frontEnd } of FRONT_ENDS)
    test(`by ${name}`, async () => {
      await serving(frontEnd, HANDLER, async ({ port }) => {
        for (const [line, status, location] of LINES) {
          const length = line.startsWith('POST') ? 'Content-Length: 0\r\n' : '';
          const head = `${line} HTTP/1.1\r\nHost: a\r\n${length}Connection: close\r\n\r\n`;
          const text = await said(port, head);
          assert.match(text, new RegExp(`^HTTP/1.1 ${status} `), line);
          assert.equal(/^location: (.*)\r$/im.exec(text)?.[1], location, line);
        }
      });
    });
});

const PIECES = ['/', '//', '\\', 'evil.example', 'model', 'allocation', '.', '..', '@', ':', 'http:', '%2f', 'A', ' ', '\t']; // prettier-ignore

test('whatever the path, no redirect leads to another host', async () => {
  const piece = fc.constantFrom(...PIECES);
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), anyUnicode(), async (pieces, query) => {
      const path = `/${pieces.join('')}`;
      const reply = await HANDLER({
        method: 'GET',
        path,
        query,
        body: new Uint8Array(0),
        header: () => '',
        signal: AbortSignal.any([]),
        visit: ownVisit(),
      });
      if (reply.status !== 301) return;
      const location = reply.headers['location'] ?? '';
      assert.match(location, /^\/(?!\/)[\x21-\x7e]*$/);
      assert.equal(new URL(location, 'http://own.example').host, 'own.example');
      const known = ROUTES.flatMap((each) => [each.path, `/model${each.path}`]);
      assert.ok(known.includes(location.split('?', 1)[0] ?? ''), location);
    }),
    { numRuns: 2000 },
  );
});

const FORM = 'application/x-www-form-urlencoded';

/** A body of a GET, its type, and what the route sees of it. */
const FORMS: readonly (readonly [
  query: string,
  type: string,
  body: string,
  status: number,
  a: string | null,
])[] = [
  ['', FORM, 'a=2d', 200, '2d'],
  ['', `${FORM}; charset=utf-8`, 'a=2d&b=1', 200, '2d'],
  ['?b=1', 'Application/X-WWW-Form-Urlencoded', 'a=%C3%A9+x', 200, 'é x'],
  ['?a=1', FORM, 'b=2', 200, '1'],
  ['?a=1', FORM, 'a=2', 400, null],
  ['', FORM, 'a=%zz', 400, null],
  ['', FORM, `a=${'x'.repeat(40_000)}`, 414, null],
  ['', 'text/plain', 'a=2d', 415, null],
  ['', 'application/json', '{"a":1}', 200, null],
];

interface Said {
  readonly a: unknown;
  readonly body: number;
}

describe('a form in the body of a GET is read as its query', { concurrency: true }, () => {
  for (const { name, frontEnd } of FRONT_ENDS)
    test(`by ${name}`, async () => {
      await serving(frontEnd, HANDLER, async ({ port }) => {
        for (const [query, type, body, status, a] of FORMS) {
          const head = `GET /allocation${query} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}`;
          const length = `Content-Length: ${Buffer.byteLength(body)}`;
          const text = await said(port, `${head}\r\n${length}\r\n\r\n${body}`);
          assert.match(text, new RegExp(`^HTTP/1.1 ${status} `), body.slice(0, 20));
          if (status !== 200) continue;
          const { a: read, body: rest } = JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) as Said;
          assert.equal(read, a);
          if (type.toLowerCase().startsWith(FORM)) assert.equal(rest, 0);
        }
      });
    });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, Unavailable } from '../../src/query/fault.ts';
import { bytes, errorReply, json } from '../../src/http/reply.ts';
import type { Route } from '../../src/http/route.ts';
import { ownVisit } from '../../src/http/visit.ts';
import type { HttpReply, HttpRequest } from '../../src/http/server.ts';
import { openRouter } from '../support/servers/open-router.ts';

const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/',
    needs: 'nobody',
    scoping: 'unneeded',
    handle: () => bytes('text/plain', 'page'),
  },
  {
    method: 'GET',
    path: '/allocation',
    needs: 'nobody',
    scoping: 'unneeded',
    handle: () => bytes('text/plain', 'allocation'),
  },
  {
    method: 'GET',
    path: '/model/collections/query/total',
    needs: 'nobody',
    scoping: 'unneeded',
    handle: async () => bytes('a/b', 'total'),
  },
  {
    method: 'GET',
    path: '/both',
    needs: 'nobody',
    scoping: 'unneeded',
    handle: () => bytes('text/plain', 'got'),
  },
  {
    method: 'POST',
    path: '/both',
    needs: 'nobody',
    scoping: 'unneeded',
    handle: () => bytes('text/plain', 'posted'),
  },
];

const log = (message: string, error: unknown): never => assert.fail(`${message} ${String(error)}`);

function request(
  method: string,
  path: string,
  signal: AbortSignal = AbortSignal.any([]),
): HttpRequest {
  return {
    method,
    path,
    query: '',
    body: new Uint8Array(0),
    header: () => '',
    signal,
    visit: ownVisit(),
  };
}

async function ask(method: string, path: string): Promise<HttpReply> {
  return openRouter(routes, { log })(request(method, path));
}

function body(reply: HttpReply): unknown {
  assert.ok(typeof reply.body === 'string', typeof reply.body);
  return reply.headers['content-type'] === 'application/json' ? JSON.parse(reply.body) : reply.body;
}

test('all routes are served with and without the model prefix, HEAD by GET', async () => {
  const rows: readonly [string, string, string][] = [
    ['GET', '/', 'page'],
    ['GET', '/model/', 'page'],
    ['GET', '/allocation', 'allocation'],
    ['GET', '/model/allocation', 'allocation'],
    ['HEAD', '/model/allocation', 'allocation'],
    ['GET', '/collections/query/total', 'total'],
    ['GET', '/model/collections/query/total', 'total'],
    ['GET', '/both', 'got'],
    ['HEAD', '/both', 'got'],
    ['POST', '/both', 'posted'],
  ];
  for (const [method, path, text] of rows) {
    const reply = await ask(method, path);
    assert.equal(reply.status, 200, path);
    assert.equal(reply.body, text, path);
  }
});

test('an unknown path is 404 for all methods', async () => {
  const paths = [
    '/nothing',
    '/model',
    '/model/model/allocation',
    '//evil.example/allocation',
    '/evil.example//allocation',
    '//evil.example',
    '/\\\\evil.example/allocation',
    '/../allocation',
    '/allocation/.',
    '/allocation/x/',
    '*',
    '',
    '/__proto__',
    '/constructor',
    'http://a/allocation',
    '/%zz',
  ];
  for (const path of paths) {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'BREW']) {
      const reply = await ask(method, path);
      assert.equal(reply.status, 404);
      assert.deepEqual(body(reply), {
        code: 404,
        message: `there is nothing at ${path}`,
        data: null,
      });
    }
  }
});

test('a wrong method is 405 with Allow, OPTIONS 204 with Allow', async () => {
  const rows: readonly [string, string, number, string][] = [
    ['POST', '/allocation', 405, 'GET, HEAD, OPTIONS'],
    ['get', '/allocation', 405, 'GET, HEAD, OPTIONS'],
    ['DELETE', '/model/both', 405, 'GET, HEAD, OPTIONS, POST'],
    ['OPTIONS', '/allocation', 204, 'GET, HEAD, OPTIONS'],
    ['OPTIONS', '/model/both', 204, 'GET, HEAD, OPTIONS, POST'],
  ];
  for (const [method, path, status, allow] of rows) {
    const reply = await ask(method, path);
    assert.equal(reply.status, status);
    assert.equal(reply.headers['allow'], allow);
    if (status !== 405) continue;
    assert.deepEqual(body(reply), {
      code: 405,
      message: `${path} does not take ${method}`,
      data: null,
      hint: `it takes ${allow}`,
    });
  }
});

test('two routes for one method and path are refused, prefix or not', () => {
  const one: Route = {
    method: 'GET',
    path: '/a',
    needs: 'nobody',
    scoping: 'unneeded',
    handle: () => json(1),
  };
  assert.throws(
    () => openRouter([one, { ...one, path: '/model/a' }], { log }),
    /^Error: BUG: two routes GET \/a$/,
  );
});

const errors: readonly [unknown, number, object, string?][] = [
  [new Fault('no'), 400, { code: 400, message: 'no', data: null }],
  [
    new Fault('no', { status: 422, parameter: 'window', hint: 'try 7d' }),
    422,
    { code: 422, message: 'no', data: null, parameter: 'window', hint: 'try 7d' },
  ],
  [new Unavailable('cannot read a'), 503, { code: 503, message: 'cannot read a', data: null }],
  [
    new Unavailable('full', { status: 429, hint: 'later', retryAfterSeconds: 1.2 }),
    429,
    { code: 429, message: 'full', data: null, hint: 'later' },
    '2',
  ],
  [
    new Unavailable('full', { retryAfterSeconds: 0 }),
    503,
    { code: 503, message: 'full', data: null },
    '1',
  ],
];

test('errors and rejections of a route become the one error form', async () => {
  for (const [error, status, form, retryAfter] of errors) {
    const thrower: Route = {
      method: 'GET',
      path: '/a',
      needs: 'nobody',
      scoping: 'unneeded',
      handle: () => {
        throw error;
      },
    };
    const rejecter: Route = { ...thrower, handle: () => Promise.reject(error) };
    for (const route of [thrower, rejecter]) {
      const reply = await openRouter([route], { log })(request('GET', '/a'));
      assert.equal(reply.status, status);
      assert.equal(reply.headers['content-type'], 'application/json');
      assert.equal(reply.headers['retry-after'], retryAfter);
      assert.deepEqual(body(reply), form);
    }
  }
});

test('an unexpected error is logged in full and answered without details', async () => {
  const logged: unknown[] = [];
  const error = new TypeError('secret at /home/a.ts');
  const reply = errorReply(error, (_, what) => logged.push(what));
  assert.equal(reply.status, 500);
  assert.deepEqual(body(reply), { code: 500, message: 'internal error', data: null });
  assert.deepEqual(logged, [error]);
});

test('errors of an aborted computation are not logged', async () => {
  const route: Route = {
    method: 'GET',
    path: '/a',
    needs: 'nobody',
    scoping: 'unneeded',
    handle: () => Promise.reject(new Error('stopped')),
  };
  const reply = await openRouter([route], { log })(request('GET', '/a', AbortSignal.abort()));
  assert.equal(reply.status, 503);
});

test('JSON has null for NaN and infinities', () => {
  assert.equal(
    json({ a: NaN, b: Infinity, c: 1e-7, d: undefined }).body,
    '{"a":null,"b":null,"c":1e-7}',
  );
  assert.equal(json(undefined).body, 'null');
});

/** The document of the API is valid, complete, and served. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { referenceOf } from '../../scripts/api-reference.ts';
import { openApiOf, undescribed, type ServedRoute } from '../../src/http/index.ts';
import { DESCRIBED_ROOMS } from '../../src/server/openapi/descriptions.ts';
import { startOwnServer } from '../support/servers/own-server.ts';
import { allRoutes, servedDocument } from '../support/servers/served-document.ts';

test('the document that is served is OpenAPI 3.1 of every route, in both dialects', async () => {
  const routes = await allRoutes();
  const options = { version: '1.2.3', dialects: 'prefix' } as const;
  const document = openApiOf(routes, DESCRIBED_ROOMS, options);
  const { valid, errors } = await new Validator().validate(document);
  assert.ok(valid, JSON.stringify(errors));
  assert.deepEqual(undescribed(routes, DESCRIBED_ROOMS), []);
  const paths = new Map(Object.entries(document['paths'] as Record<string, object>));
  for (const { method, path, dialect } of routes) {
    const spelled = dialect === undefined ? [`/model${path}`, path] : [dialect === 'kubecost' ? `/model${path}` : path]; // prettier-ignore
    for (const each of spelled) {
      assert.ok(method.toLowerCase() in (paths.get(each) ?? {}), `${method} ${each} is not named`);
    }
  }
});

test('the server answers GET /openapi.json with its own routes', async () => {
  const server = await startOwnServer(['--workers=1', '--api-dialect=opencost']);
  try {
    const { status, text } = await server.ask('/openapi.json');
    assert.equal(status, 200);
    const document = JSON.parse(text) as { readonly paths: object; readonly openapi: string };
    assert.equal(document.openapi, '3.1.0');
    assert.ok('/openapi.json' in document.paths);
    assert.ok(!('/login' in document.paths), 'no browser signs in here');
    assert.deepEqual(server.errors, []);
  } finally {
    await server.stop();
  }
});

const ROUTE: ServedRoute = { method: 'GET', path: '/a', needs: 'viewer', scoping: 'unneeded' };

test('a route without description, and a description without route, are told', () => {
  const room = { routes: { 'GET /b': { summary: 'b', answers: {} } } };
  assert.deepEqual(undescribed([ROUTE], [room]), [
    'GET /a: no description',
    'GET /b: no such route',
  ]);
  assert.throws(
    () => openApiOf([ROUTE], [room], { version: '1', dialects: 'prefix' }),
    /BUG: GET \/a/,
  );
});

test('docs/api/reference.md is what scripts/write-reference.ts writes of the document', async () => {
  const page = readFileSync(new URL('../../docs/api/reference.md', import.meta.url), 'utf8');
  assert.equal(page, referenceOf(await servedDocument()));
  for (const told of [
    '### GET /allocation/compute',
    '### GET /model/allocation\n',
    '### Parameter shareIdle\n',
  ]) {
    assert.ok(page.includes(told), `${told} is in the page`);
  }
});

/** The documents are whole: links resolve, and every route, parameter and setting is in them. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ROUTES } from '../scripts/hostile-requests.ts';
import { PARAMETERS, STORED_PARAMETERS } from '../src/allocation/index.ts';
import { loadConfig } from '../src/settings/config.ts';
import { PREDICTION_PARAMETERS } from '../src/prediction/params.ts';
import {
  brokenLinks,
  documentsOf,
  missingFiles,
  parametersIn,
  tooLong,
  undocumented,
  undocumentedRoutes,
  type Document,
  type Named,
} from './support/documents.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const documents = documentsOf(ROOT);
const isThere = (path: string): boolean => existsSync(join(ROOT, path));
const LINES_MAX = { 'README.md': 150, 'src/README.md': 200 };

/** The rooms whose parameters a document has. */
const ROOMS: readonly (readonly [room: string, document: string])[] = [
  ['allocation', 'allocation'],
  ['assets', 'assets'],
  ['audit', 'audit'],
  ['billing/cloud', 'cloud-cost'],
  ['cluster-sizing', 'cluster-sizing'],
  ['collections', 'collections'],
  ['billing/external', 'external-cost'],
  ['mcp', 'mcp'],
  ['prediction', 'prediction'],
  ['installation', 'installation'],
  ['savings', 'savings'],
  ['request-sizing', 'request-sizing'],
];

function parameters(): Named[] {
  const read = ROOMS.flatMap(([room, name]) => {
    const folder = join(ROOT, 'src', room);
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(folder, path), 'utf8'));
    const names = new Set(sources.flatMap(parametersIn));
    return [...names].map((each) => ({ name: each, document: `docs/api/${name}.md` }));
  });
  const tables = [
    ...[...PARAMETERS, ...STORED_PARAMETERS].map(({ name }) => [name, 'allocation'] as const),
    ...PREDICTION_PARAMETERS.map(({ name }) => [name, 'prediction'] as const),
  ].map(([name, document]) => ({ name, document: `docs/api/${document}.md` }));
  return [...read, ...tables];
}

/** Flags, variables and keys, as help has them. */
function settings(): Named[] {
  const { help = '' } = loadConfig(['--help'], {}, () => '');
  return [...help.matchAll(/^ {2}(\S.*)\n {6}.*\n {6}default: /gm)]
    .flatMap(([, names = '']) => names.split(', '))
    .map((name) => ({ name: name.replace(' VALUE', ''), document: 'docs/operations.md' }));
}

test('links between documents resolve, with their headings', () => {
  assert.deepEqual(brokenLinks(documents, isThere), []);
});

test('files that documents name are there', () => {
  assert.deepEqual(missingFiles(documents, isThere), []);
});

test('README.md has at most 150 lines, src/README.md at most 200', () => {
  assert.deepEqual(tooLong(documents, LINES_MAX), []);
});

test('every route is documented beside the page that is made of the routes', () => {
  const routes = ROUTES.map((route) => route.join(' '));
  assert.ok(routes.length > 40, `only ${routes.length} routes`);
  const api = documents.filter(
    ({ path }) => path.startsWith('docs/') && path !== 'docs/api/reference.md',
  );
  assert.deepEqual(undocumentedRoutes(api, routes), []);
});

test('every parameter is in the document of its routes', () => {
  const named = parameters();
  for (const name of ['shareIdle', 'qRAM', 'filterAccountIDs', 'minNodeCount', 'sortDirection']) {
    const isRead = named.some((each) => each.name === name);
    assert.ok(isRead, `${name} is found in the sources`);
  }
  assert.deepEqual(undocumented(documents, named), []);
});

test('every setting is in docs/operations.md, by flag, variable and key', () => {
  const named = settings();
  for (const name of ['--metrics-url', 'METRICS_TOKEN', 'prices.gpuHour']) {
    const isRead = named.some((each) => each.name === name);
    assert.ok(isRead, `${name} is found in help`);
  }
  assert.deepEqual(undocumented(documents, named), []);
});

const page = (text: string): Document[] => [
  { path: 'docs/a.md', text },
  { path: 'docs/b.md', text: '# A title, *with* signs\n\n## Twice\n\n## Twice\n' },
];
const onlyB = (path: string): boolean => path === 'docs/b.md' || path === 'docs/a.md';

const PLANTED: readonly (readonly [name: string, found: readonly string[], message: RegExp])[] = [
  [
    'a link to a file that is not there',
    brokenLinks(page('[x](c.md)'), onlyB),
    /docs\/c\.md, which is not there/,
  ],
  [
    'a link out of docs to a file that is not there',
    brokenLinks(page('[x](../c.md)'), onlyB),
    /links to c\.md/,
  ],
  ['an anchor that no heading has', brokenLinks(page('[x](b.md#c)'), onlyB), /b\.md#c, but/],
  [
    'an anchor that no heading of the same page has',
    brokenLinks(page('# A\n\n[x](#b)'), onlyB),
    /a\.md#b, but/,
  ],
  [
    'a name of a file that is not there',
    missingFiles(page('as in `src/a/b.ts`'), onlyB),
    /names src\/a\/b\.ts/,
  ],
  [
    'a document that is too long',
    tooLong(page('a\n'.repeat(9)), { 'docs/a.md': 8 }),
    /9 lines, at most 8/,
  ],
  [
    'a route that no document has',
    undocumentedRoutes(page('`GET /assets`'), ['GET /assets/topline']),
    /topline: no/,
  ],
  [
    'a route of another method',
    undocumentedRoutes(page('`GET /assets`'), ['PUT /assets']),
    /PUT \/assets: no/,
  ],
  ['a parameter that its document lacks', undocumented(page('`limits`'), [{ name: 'limit', document: 'docs/a.md' }]), /^limit: docs\/a\.md/], // prettier-ignore
];

for (const [name, found, message] of PLANTED) {
  test(`${name} is reported`, () => {
    assert.equal(found.length, 1, found.join('\n'));
    assert.match(found[0] ?? '', message);
  });
}

test('what resolves is not reported', () => {
  const text =
    '[a](b.md) [b](b.md#a-title-with-signs) [c](b.md#twice-1) [d](https://x.y) `[e](f.md)`\n' +
    '```\n[g](h.md)\n```\n';
  assert.deepEqual(brokenLinks(page(text), onlyB), []);
  const routes = ['GET /assets', 'POST /collections'];
  assert.deepEqual(
    undocumentedRoutes(page('`GET /model/assets?x`\n`POST /collection`'), routes),
    [],
  );
  const source =
    "params.parsed('a', f); params.flag( 'b', true); [ 'filterC', x]; `q${of}` QueryParams";
  assert.deepEqual(parametersIn(source), ['a', 'b', 'filterC', 'qCPU', 'qRAM']);
  const shared = "readPageLimits(params); readIsAscending( params, 'd', 'asc')";
  assert.deepEqual(parametersIn(shared), ['d', 'limit', 'offset']);
});

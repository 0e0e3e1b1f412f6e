/** The values of a field over stored sets, through the whole server, against the rows in words. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { folderOf, rowSet, type StoredRow } from '../../support/stores/columns-folder.ts';
import { errorOf, startOwnServer, type OwnServer } from '../../support/servers/own-server.ts';
import { DAY_MS, FIRST_MS } from '../../support/stores/stored-sets.ts';

const texts = (namespace: string, pod: string, more: object = {}): StoredRow['texts'] => ({
  cluster: 'one',
  node: 'node-1',
  namespace,
  pod,
  container: 'main',
  controller: 'web',
  controllerKind: 'deployment',
  providerID: 'i-1',
  ...more,
});

const FIRST: readonly StoredRow[] = [
  { texts: texts('web', 'web-1'), labels: { app: 'shop', team: 'Red' }, services: ['web', 'www'] },
  { texts: texts('web', 'Web-2', { node: 'node-2' }), labels: { app: 'shop' }, annotations: { team: 'blue', note: 'x' } }, // prettier-ignore
  { texts: texts('kube-system', 'dns', { controllerKind: 'daemonset', controller: 'dns' }), annotations: { team: 'red' } }, // prettier-ignore
  { texts: { cluster: 'one', node: 'node-3', container: '__idle__' } },
];
const SECOND: readonly StoredRow[] = [
  { texts: texts('Web', 'web-1', { cluster: 'two' }), labels: { 'a-b': '1', a_b: '2', constructor: 'c' } }, // prettier-ignore
  { texts: texts('ärger', '=1+1'), labels: { team: 'green' }, annotations: { team: 'never' } },
];

type Read = (row: StoredRow) => readonly (string | undefined)[];
const text =
  (column: string): Read =>
  ({ texts: of }) => [of[column]];
const alias =
  (name: string): Read =>
  ({ labels, annotations }) => [labels?.[name] ?? annotations?.[name]];
const spelled = (name: string): string => name.replaceAll('-', '_');

/** A field in every spelling, and the values a row has of it. */
const FIELDS: readonly (readonly [fields: readonly string[], read: Read])[] = [
  [['cluster', 'CLUSTER'], text('cluster')],
  [['node'], text('node')],
  [['namespace', ' namespace '], text('namespace')],
  [['controllerKind', 'controllerkind'], text('controllerKind')],
  [['controller', 'controllerName'], text('controller')],
  [['pod'], text('pod')],
  [['container'], text('container')],
  [['providerID', 'provider'], text('providerID')],
  [['service', 'services'], ({ services = [] }) => services],
  [['label'], ({ labels = {} }) => Object.keys(labels).map(spelled)],
  [['label:app', 'label[app]'], ({ labels }) => [labels?.['app']]],
  [['label:a-b', 'label:a_b'], ({ labels }) => [labels?.['a-b'], labels?.['a_b']]],
  [
    ['label:constructor'],
    ({ labels }) => (labels && Object.hasOwn(labels, 'constructor') ? [labels['constructor']] : []),
  ],
  [['label:__proto__', 'label:nowhere'], () => []],
  [['annotation'], ({ annotations = {} }) => Object.keys(annotations)],
  [['annotation:note'], ({ annotations }) => [annotations?.['note']]],
  [['team'], alias('team')],
  [['product'], alias('app')],
  [['department', 'environment', 'owner'], () => []],
];

/** Filters, and the rows that they mean. */
const FILTERS: readonly (readonly [filter: string, isMeant: (row: StoredRow) => boolean])[] = [
  ['', () => true],
  ['filter=', () => true],
  ['filter=namespace:%22web%22', ({ texts: of }) => of['namespace'] === 'web'],
  ['filter=label[app]!:%22shop%22', ({ labels }) => labels?.['app'] !== 'shop'],
  ['filterPods=web*', ({ texts: of }) => of['pod']?.startsWith('web') === true],
  ['filterClusters=two', ({ texts: of }) => of['cluster'] === 'two'],
];

const SEARCHES: readonly string[] = ['', 'WE', 'red', 'Ä', 'nothing at all'];

function expected(read: Read, isMeant: (row: StoredRow) => boolean, search: string): string[] {
  const values = [...FIRST, ...SECOND]
    .filter(isMeant)
    .flatMap((row) => read(row).map((value) => value ?? ''));
  return [...new Set(values)]
    .filter((value) => value !== '' && value !== '__idle__')
    .filter((value) => value.toLowerCase().includes(search.toLowerCase()))
    .sort((a, b) => (a < b ? -1 : 1));
}

let folder = '';
let server: OwnServer;
before(async () => {
  const day = (place: number): { startMs: number; endMs: number } => ({
    startMs: FIRST_MS + place * DAY_MS,
    endMs: FIRST_MS + (place + 1) * DAY_MS,
  });
  folder = await folderOf([await rowSet(day(0), FIRST), await rowSet(day(1), SECOND)]);
  server = await startOwnServer([
    `--data-dir=${folder}`,
    '--timezone=UTC',
    '--now=2024-05-05T00:00:00Z',
  ]);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const WINDOW = 'window=2024-05-01T00:00:00Z,2024-05-03T00:00:00Z';

interface Body {
  readonly code: number;
  readonly data: readonly string[];
  readonly warnings?: readonly string[];
}

interface Nested {
  readonly data: { readonly data: readonly string[] };
}

async function ask(query: string): Promise<Body> {
  const answer = await server.ask(`/model/allocation/autocomplete?${query}`);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.contentType, 'application/json');
  const { data, ...others } = JSON.parse(answer.text) as Omit<Body, 'data'> & Nested;
  return { ...others, data: data.data };
}

describe('the values of', () => {
  for (const [fields, read] of FIELDS)
    test(`${fields.join(', ')} are those of the rows that the filter means`, async () => {
      for (const field of fields)
        for (const [filter, isMeant] of FILTERS)
          for (const search of SEARCHES) {
            const found = encodeURIComponent(search);
            const asked = `${WINDOW}&field=${encodeURIComponent(field)}&search=${found}&${filter}`;
            const { code, data } = await ask(asked);
            assert.equal(code, 200);
            assert.deepEqual(data, expected(read, isMeant, search), asked);
          }
    });
});

test('a limit gives the first values of all days', async () => {
  const { data: all } = await ask(`${WINDOW}&field=pod`);
  for (const limit of [1, 2, 1000]) {
    const { data } = await ask(`${WINDOW}&field=pod&limit=${limit}`);
    assert.deepEqual(data, all.slice(0, limit));
  }
});

test('a day that is not stored is told of', async () => {
  const { data, warnings } = await ask(
    'window=2024-05-02T00:00:00Z,2024-05-04T00:00:00Z&field=cluster',
  );
  assert.deepEqual(data, ['one', 'two']);
  assert.match(warnings?.join('\n') ?? '', /not stored/);
});

test('only columns that queries read stay in memory', async () => {
  const usedBytes = server.usedBytes();
  for (const field of ['label', 'namespace', 'services', 'annotation:note']) {
    await ask(`${WINDOW}&field=${field}`);
  }
  assert.equal(server.usedBytes(), usedBytes);
});

test('a day that is damaged is told of, and its values are left out', async () => {
  const spans = [0, 1].map((day) => ({
    startMs: FIRST_MS + day * DAY_MS,
    endMs: FIRST_MS + (day + 1) * DAY_MS,
  }));
  const rows = [FIRST, SECOND];
  const sets = await Promise.all(spans.map((span, i) => rowSet(span, rows[i] ?? [])));
  const damaged = await folderOf(sets);
  const other = await startOwnServer([`--data-dir=${damaged}`, '--timezone=UTC']);
  try {
    const [first = ''] = readdirSync(join(damaged, 'sets')).toSorted();
    const path = join(damaged, 'sets', first);
    writeFileSync(
      path,
      readFileSync(path).map((byte) => byte ^ 0xff),
    );
    for (const query of ['field=pod', 'field=pod&filterClusters=*', 'field=team']) {
      const answer = await other.ask(`/model/allocation/autocomplete?${WINDOW}&${query}`);
      assert.equal(answer.status, 200, answer.text);
      const { data: told, warnings } = JSON.parse(answer.text) as Omit<Body, 'data'> & Nested;
      assert.deepEqual(told.data, query === 'field=team' ? ['green'] : ['=1+1', 'web-1']);
      assert.match(warnings?.join('\n') ?? '', /damaged/);
    }
    assert.deepEqual(other.errors, []);
  } finally {
    await other.stop();
    rmSync(damaged, { recursive: true, force: true });
  }
});

const REFUSED: readonly (readonly [query: string, parameter: string, shows: string])[] = [
  ['field=pod', 'window', 'missing'],
  ['window=nonsense&field=pod', 'window', "'nonsense'"],
  [WINDOW, 'field', 'missing'],
  [`${WINDOW}&field=`, 'field', 'missing'],
  [`${WINDOW}&field=colour`, 'field', "'colour'"],
  [`${WINDOW}&field=pod,namespace`, 'field', "'pod,namespace'"],
  [`${WINDOW}&field=pod:x`, 'field', "'pod:x'"],
  [`${WINDOW}&field=label:`, 'field', "'label:'"],
  [`${WINDOW}&field=label[`, 'field', "'label['"],
  [`${WINDOW}&field=__proto__`, 'field', "'__proto__'"],
  [`${WINDOW}&field=pod&field=node`, 'field', '2 times'],
  [`${WINDOW}&field=pod&limit=0`, 'limit', "'0'"],
  [`${WINDOW}&field=pod&limit=-1`, 'limit', "'-1'"],
  [`${WINDOW}&field=pod&limit=1001`, 'limit', "'1001'"],
  [`${WINDOW}&field=pod&limit=ten`, 'limit', "'ten'"],
  [`${WINDOW}&field=pod&search=%zz`, 'search', "'%zz'"],
  [`${WINDOW}&field=pod&filter=colour:red`, 'filter', 'colour'],
  [`${WINDOW}&field=pod&filterLabels=shop`, 'filterLabels', 'shop'],
];

for (const [query, parameter, shows] of REFUSED)
  test(`${query} is refused, naming ${parameter}`, async () => {
    const answer = await server.ask(`/model/allocation/autocomplete?${query}`);
    assert.equal(answer.status, 400, answer.text);
    const error = errorOf(answer);
    assert.equal(error.parameter, parameter);
    assert.ok(error.message.includes(shows), error.message);
    assert.ok(error.hint?.includes(`${parameter}=`), error.hint);
  });

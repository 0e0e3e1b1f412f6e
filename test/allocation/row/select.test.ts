import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { select } from '../../../src/allocation/row/select.ts';
import { ALLOCATION_FIELDS } from '../../../src/allocation/row/filter-fields.ts';
import { IDENTITY_COLUMNS } from '../../../src/allocation/row/schema.ts';
import { DictionaryBuilder, type Table } from '../../../src/columnar/index.ts';
import { complement, parseFilter } from '../../../src/query/index.ts';
import { filters, labelNames, texts } from '../../support/arbitraries/filter-arbitraries.ts';
import { means, type PlainRow } from '../../support/references/filter-reference.ts';

interface Written {
  readonly services?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [column: string]: unknown;
}

function plainRow({ services = [], labels = {}, annotations = {}, ...rest }: Written): PlainRow {
  return {
    texts: new Map(Object.entries(rest).map(([column, text]) => [column, String(text)])),
    services,
    labels: new Map(Object.entries(labels)),
    annotations: new Map(Object.entries(annotations)),
  };
}

/** Columns without any text are left out; all others have one dictionary, or each its own. */
function tableOf(rows: readonly PlainRow[], isShared = true): Table {
  const shared = new DictionaryBuilder();
  const columns = new Map<string, { codes: Uint32Array; texts: DictionaryBuilder }>();
  const add = (name: string, cell: (row: PlainRow) => string): void => {
    const dictionary = isShared ? shared : new DictionaryBuilder();
    const codes = Uint32Array.from(rows, (row) => dictionary.code(cell(row)));
    if (codes.some((code) => code > 0)) columns.set(name, { codes, texts: dictionary });
  };
  for (const name of IDENTITY_COLUMNS) add(name, (row) => row.texts.get(name) ?? '');
  add('services', ({ services }) => (services.length === 0 ? '' : JSON.stringify(services)));
  add('labels', ({ labels }) => mapText(labels));
  add('annotations', ({ annotations }) => mapText(annotations));
  return { rows: rows.length, text: (name) => columns.get(name), numbers: () => undefined };
}

/** Pairs, because an object takes `__proto__` for something else. */
function mapText(map: ReadonlyMap<string, string>): string {
  const pairs = [...map].map((pair) => pair.map((text) => JSON.stringify(text)).join(':'));
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function rowsOf(table: Table, text: string): number[] {
  const grammar = { parameter: 'filter', fields: ALLOCATION_FIELDS, example: 'pod:a' };
  const filter = parseFilter(text, grammar);
  assert.ok(filter !== null, text);
  return [...select(table, filter).indices()];
}

const FLEET: readonly Written[] = [
  {
    cluster: 'c1',
    node: 'n1',
    namespace: 'kubecost',
    pod: 'web-1',
    container: 'web',
    controller: 'web',
    controllerKind: 'deployment',
    services: ['front', 'web'],
    labels: { app_abc: 'x', 'cloud.google.com/gke-nodepool': 'big', env: 'prod' },
  },
  {
    cluster: 'c1',
    node: 'n2',
    namespace: 'kube-system',
    pod: 'dns-1',
    container: 'dns',
    controller: 'dns',
    controllerKind: 'daemonset',
    providerID: 'aws:///zone/i-1',
    services: ['dns'],
    labels: { 'app-abc': 'y', app_abc: 'z' },
    annotations: { env: 'test', url: 'http://x', team: 'net' },
  },
  { cluster: 'c2', namespace: 'kub', pod: 'one', container: 'Web', labels: { constructor: '1' } },
  { cluster: 'c2', container: '__idle__' },
  { cluster: 'c2', namespace: '__unmounted__', container: '__unmounted__', services: ['lb', 'a'] },
];

const MEANT: readonly (readonly [filter: string, rows: readonly number[]])[] = [
  ['namespace:"kubecost"', [0]],
  ['namespace:kubecost,kub', [0, 2]],
  ['namespace!:"kubecost"', [1, 2, 3, 4]],
  ['namespace!:"kubecost","kub"', [1, 3, 4]],
  ['namespace:"Kubecost"', []],
  ['namespace<~:"kube"', [0, 1]],
  ['namespace!<~:"kube"', [2, 3, 4]],
  ['namespace~:"system"', [1]],
  ['namespace~>:"t"', [0]],
  ['namespace!~>:"t","m"', [2, 3, 4]],
  ['namespace:"__unallocated__"', [3]],
  ['namespace!:"__unallocated__"', [0, 1, 2, 4]],
  ['namespace~:"__unallocated__"', [3]],
  ['namespace:"__unallocated__","kub"', [2, 3]],
  ['namespace<~:""', [0, 1, 2, 3, 4]],
  ['controllerKind:"Deployment"', [0]],
  ['controllerKind<~:D', [0, 1]],
  ['controllerKind:"__unallocated__"', [2, 3, 4]],
  ['controller:web', [0]],
  ['container:web', [0]],
  ['provider:"i-1"', [1]],
  ['providerID:"aws:///zone/i-1"', [1]],
  ['providerID!:"i-1"', [0, 2, 3, 4]],
  ['node:"__unallocated__"', [2, 3, 4]],
  ['services:"web"', [0]],
  ['services!:"web"', [1, 2, 3, 4]],
  ['service~:"n"', [0, 1]],
  ['services:"__unallocated__"', [2, 3]],
  ['services!:"__unallocated__"', [0, 1, 4]],
  ['services:"a"', [4]],
  ['label[app-abc]:"x"', [0]],
  ['label[app.abc]:"y"', [1]],
  ['label[app_abc]:"z"', [1]],
  ['label[app_abc]!:"z"', [0, 2, 3, 4]],
  ['label[cloud.google.com/gke-nodepool]:"big"', [0]],
  ['label[cloud_google_com_gke_nodepool]:"big"', [0]],
  ['label[app_abc]:"__unallocated__"', [2, 3, 4]],
  ['label:"app-abc"', [0, 1]],
  ['label:"app_abc"', [0, 1]],
  ['label!:"app_abc"', [2, 3, 4]],
  ['label~:"gke-node"', [0]],
  ['label:"__unallocated__"', [3, 4]],
  ['label:"__proto__"', []],
  ['label[__proto__]!:"__unallocated__"', []],
  ['label[constructor]:"1"', [2]],
  ['label:"constructor"', [2]],
  ['annotation[url]:"http://x"', [1]],
  ['environment:"prod"', [0]],
  ['environment:"test"', [1]],
  ['environment!:"test"', [0, 2, 3, 4]],
  ['environment:"__unallocated__"', [2, 3, 4]],
  ['team:"net"', [1]],
  ['container:"__idle__"', [3]],
  ['namespace:"__unmounted__"', [4]],
  ['cluster:"c2"+namespace:"kub"', [2]],
  ['cluster:"c1" namespace:"kub"', []],
  ['namespace:"kub"|pod<~:"dns"', [1, 2]],
  ['(namespace:"kub"|pod<~:"dns")+cluster:c2', [2]],
];

const fleet = FLEET.map(plainRow);

for (const [text, rows] of MEANT) {
  test(`${text} means rows [${rows.join(' ')}] of the fleet`, () => {
    assert.deepEqual(rowsOf(tableOf(fleet), text), rows);
    assert.deepEqual(rowsOf(tableOf(fleet, false), text), rows);
  });
}

const maps = fc.array(fc.tuple(labelNames, texts), { maxLength: 4 }).map((pairs) => new Map(pairs));

const rows: fc.Arbitrary<PlainRow> = fc.record({
  texts: fc
    .array(fc.tuple(fc.constantFrom(...IDENTITY_COLUMNS), texts), { maxLength: 6 })
    .map((pairs) => new Map(pairs)),
  services: fc.array(texts, { maxLength: 3 }),
  labels: maps,
  annotations: maps,
});

const tables = fc.array(rows, { maxLength: 70 });

test('a filter means the rows that a reading of each row tells, and its complement the others', () => {
  fc.assert(
    fc.property(tables, fc.boolean(), filters(), (plain, isShared, filter) => {
      const table = tableOf(plain, isShared);
      const expected = plain.flatMap((row, i) => (means(filter, row) ? [i] : []));
      const selected = select(table, filter);
      assert.deepEqual([...selected.indices()], expected);
      const others = select(table, complement(filter));
      assert.equal(selected.count() + others.count(), plain.length);
      assert.equal(others.and(selected).count(), 0);
    }),
    { numRuns: 2000 },
  );
});

test('a field that allocations do not have is a broken promise of the parser', () => {
  const filter = { ...comparisonOf('pod:a'), field: 'colour' };
  assert.throws(() => select(tableOf(fleet), filter), /BUG: allocations have no field colour/);
});

function comparisonOf(text: string) {
  const grammar = { parameter: 'filter', fields: ALLOCATION_FIELDS, example: 'pod:a' };
  const filter = parseFilter(text, grammar);
  if (filter?.kind !== 'comparison') throw new Error('BUG: not one comparison');
  return filter;
}

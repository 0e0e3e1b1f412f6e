/** Grouping against a slow reference: maps of names, exact sums. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { IdleNames } from '../../../src/allocation/query/row-names.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { aggregate } from '../../support/references/plain-query.ts';
import {
  END_SOURCES,
  IDENTITY_COLUMNS,
  MEASURES,
  type IdentityColumn,
} from '../../../src/allocation/row/schema.ts';
import { compileKernels, createEngine } from '../../../src/columnar/index.ts';
import type { AggregateKey } from '../../../src/query/index.ts';
import { exactSum } from '../../support/references/exact-sum.ts';
import { framed, NUMBERS, type Labels, type Row } from '../../support/stores/set-frames.ts';

const OWNER = 1;
const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), OWNER);

interface Group {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly numbers: readonly number[];
  readonly startMs: number;
  readonly endMs: number;
  readonly endSource: string;
  readonly priceSource: string;
}

function grouped(
  parts: readonly (readonly Row[])[],
  keys: readonly AggregateKey[],
  idleNames: IdleNames = 'one',
): Group[] {
  const frames = parts.map((rows) => framed(engine.arena, TASK, rows));
  const { frame, texts } = aggregate(engine, TASK, frames, { keys, idleNames });
  const groups = Array.from({ length: frame.rows }, (_, i): Group => {
    const properties = [...IDENTITY_COLUMNS, 'labels']
      .map((name): [string, string] => [name, texts.text(frame.u32(name)[i] ?? 0)])
      .filter(([, text]) => text !== '');
    return {
      name: texts.text(frame.u32('name')[i] ?? 0),
      properties: Object.fromEntries(properties),
      numbers: NUMBERS.map((name) => frame.f64(name)[i] ?? NaN),
      startMs: frame.f64('startMs')[i] ?? NaN,
      endMs: frame.f64('endMs')[i] ?? NaN,
      endSource: END_SOURCES[frame.u32('endSource')[i] ?? 0] ?? '',
      priceSource: texts.text(frame.u32('priceSource')[i] ?? 0),
    };
  });
  engine.arena.release(TASK);
  return groups;
}

const property = (name: IdentityColumn): AggregateKey => ({ kind: 'property', property: name });
const label = (name: string): AggregateKey => ({ kind: 'label', name });

const NAMED: readonly (readonly [what: string, row: Row, keys: AggregateKey[], name: string])[] = [
  ['a property', { namespace: 'team' }, [property('namespace')], 'team'],
  ['a missing property', {}, [property('namespace')], '__unallocated__'],
  ['a controller', { controller: 'db', controllerKind: 'x' }, [property('controller')], 'x:db'],
  ['a controller without a kind', { controller: 'db' }, [property('controller')], 'db'],
  ['no controller', { controllerKind: 'job' }, [property('controller')], '__unallocated__'],
  ['a label', { labels: { app: 'web' } }, [label('app')], 'app=web'],
  [
    'a label as Kubernetes spells it',
    { labels: { 'app.x/y': 'web' } },
    [label('app_x_y')],
    'app_x_y=web',
  ],
  ['a missing label', { labels: { app: 'web' } }, [label('tier')], '__unallocated__'],
  ['an empty label', { labels: { app: '' } }, [label('app')], '__unallocated__'],
  [
    'several, in the order asked',
    { namespace: 'team', cluster: 'one', labels: { app: 'web' } },
    [label('app'), property('namespace'), property('cluster'), property('node')],
    'app=web/team/one/__unallocated__',
  ],
  [
    'nothing asked',
    { cluster: 'c', node: 'n', namespace: 's', pod: 'p', container: 'k' },
    [],
    'c/n/s/p/k',
  ],
  ['nothing asked, no node known', { cluster: 'c', pod: 'p' }, [], 'c///p/'],
];

describe('a row is named by', () => {
  for (const [what, row, keys, name] of NAMED)
    test(what, () => assert.equal(grouped([[row]], keys)[0]?.name, name));

  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    test(`the label ${name}`, () => {
      const rows = [
        { labels: JSON.parse(`{"${name}":"x"}`) as Labels, numbers: [1, 2, 3] },
      ] as const;
      const [group] = grouped([rows], [label(name)]);
      assert.equal(group?.name, `${name}=x`);
      assert.deepEqual(group?.numbers, [1, 2, 3]);
      assert.equal(group?.properties['labels'], `{"${name}":"x"}`);
      assert.equal(grouped([[{}]], [label(name)])[0]?.name, '__unallocated__');
    });
});

test('two lives of one container are one row: sums, the greater maximum, the longer span', () => {
  const one = { cluster: 'c', node: 'n', namespace: 's', pod: 'p', container: 'k' };
  const [group, ...others] = grouped(
    [
      [
        { ...one, numbers: [1, 2, 7], startMs: 10, endMs: 20, endSource: 'lastSample' },
        { ...one, numbers: [10, 20, 3], startMs: 30, endMs: 50, endSource: 'running' },
      ],
    ],
    [],
  );
  assert.deepEqual(others, []);
  assert.deepEqual(group?.numbers, [11, 22, 7]);
  assert.deepEqual([group?.startMs, group?.endMs, group?.endSource], [10, 50, 'lastSample']);
});

test('labels survive that all rows of a group have with the same value', () => {
  const rows: Row[] = [
    { labels: { app: 'web', tier: 'front', zone: 'a' } },
    { labels: { app: 'web', tier: 'back', zone: 'a' } },
    { labels: { zone: 'a', app: 'web' } },
  ];
  assert.equal(
    grouped([rows], [property('pod')])[0]?.properties['labels'],
    '{"app":"web","zone":"a"}',
  );
  const [group] = grouped([[...rows, {}]], [property('pod')]);
  assert.equal(group?.properties['labels'], undefined);
});

const IDLE_ROWS: readonly Row[] = [
  { cluster: 'c', node: 'n', container: '__idle__', numbers: [1, 0, 0] },
  { cluster: 'c', node: 'm', container: '__idle__', numbers: [2, 0, 0] },
  { cluster: 'd', container: '__idle__', numbers: [4, 0, 0] },
  { cluster: 'c', node: 'n', namespace: 's', container: 'k', numbers: [8, 0, 0] },
];

const IDLE_NAMED: readonly (readonly [IdleNames, Readonly<Record<string, number>>])[] = [
  ['one', { __idle__: 7 }],
  ['cluster', { 'c/__idle__': 3, 'd/__idle__': 4 }],
  ['node', { 'c/m/__idle__': 2, 'c/n/__idle__': 1, 'd/__idle__': 4 }],
];

for (const [idleNames, idle] of IDLE_NAMED)
  for (const [keys, other] of [
    [[], 'c/n/s//k'],
    [[property('namespace')], 's'],
    [[property('pod'), label('app')], '__unallocated__/__unallocated__'],
  ] as const)
    test(`idle has rows of its own under ${other}, told apart by ${idleNames}`, () => {
      const costs = grouped([IDLE_ROWS], keys, idleNames).map((g) => [g.name, g.numbers[0]]);
      assert.deepEqual(Object.fromEntries(costs), { ...idle, [other]: 8 });
    });

test('no rows are no groups', () => {
  assert.deepEqual(grouped([[], []], []), []);
});

const name = fc.constantFrom('', 'a', 'b', 'ü/x');
const number = fc.oneof(
  fc.double({ min: 0, max: 1e12, noNaN: true }),
  fc.double({ min: 0, max: 1e-6, noNaN: true }),
);
const anyRow: fc.Arbitrary<Row> = fc
  .tuple(
    fc.record({ cluster: name, node: name, namespace: name, pod: name, container: name }),
    fc.dictionary(fc.constantFrom('app', 'tier', '__proto__'), fc.constantFrom('x', 'y')),
    fc.tuple(number, number, number),
  )
  .map(([identity, labels, numbers]) => ({ ...identity, labels, numbers }));
const anyKeys = fc.oneof(
  fc.constant([]),
  fc.uniqueArray(
    fc.constantFrom(
      ...(['cluster', 'node', 'namespace', 'pod', 'container'] as const).map(property),
      label('app'),
      label('__proto__'),
    ),
    { minLength: 1, maxLength: 4 },
  ),
);

function nameOf(row: Row, keys: readonly AggregateKey[]): string {
  if (keys.length === 0)
    return [row.cluster, row.node, row.namespace, row.pod, row.container].join('/');
  const parts = keys.map((key) => {
    if (key.kind === 'property') return row[key.property as IdentityColumn] || '__unallocated__';
    const value = new Map(Object.entries(row.labels ?? {})).get(key.name);
    return value ? `${key.name}=${value}` : '__unallocated__';
  });
  return parts.join('/');
}

test('whatever the rows, their division and the keys: groups in order, each the sum of its rows', () => {
  const parts = fc.array(fc.array(anyRow, { maxLength: 30 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(parts, anyKeys, (divided, keys) => {
      const rows = divided.flat();
      const names = [...new Set(rows.map((row) => nameOf(row, keys)))].toSorted();
      const groups = grouped(divided, keys);
      assert.deepEqual(
        groups.map((group) => group.name),
        names,
      );
      for (const group of groups) {
        const own = rows.filter((row) => nameOf(row, keys) === group.name);
        NUMBERS.forEach((column, n) => {
          const values = own.map((row) => row.numbers?.[n] ?? 0);
          const isMax = MEASURES.some((m) => m.column === column && m.fold === 'max');
          const wanted = isMax ? Math.max(...values) : exactSum(values);
          const got = group.numbers[n] ?? NaN;
          assert.ok(Math.abs(got - wanted) <= 1e-15 * wanted, `${column}: ${got} for ${wanted}`);
        });
        for (const column of IDENTITY_COLUMNS) {
          const values = new Set(own.map((row) => row[column] ?? ''));
          const common = values.size === 1 ? [...values][0] : '';
          assert.equal(group.properties[column] ?? '', common);
        }
      }
    }),
  );
});

test('all groups together are all rows together, to the last digits', () => {
  fc.assert(
    fc.property(fc.array(anyRow, { minLength: 1, maxLength: 200 }), anyKeys, (rows, keys) => {
      const total = exactSum(rows.map((row) => row.numbers?.[0] ?? 0));
      const sum = exactSum(grouped([rows], keys).map((group) => group.numbers[0] ?? NaN));
      assert.ok(Math.abs(sum - total) <= 1e-14 * total, `${sum} of ${total}`);
    }),
    { numRuns: 50 },
  );
});

test('a group of prices of one source has it, of several is mixed; what has no price is not asked', () => {
  const source = fc.constantFrom('', 'series', 'list', 'book', 'mixed');
  const row = fc.record({ namespace: fc.constantFrom('a', 'b', 'c'), priceSource: source });
  fc.assert(
    fc.property(fc.array(fc.array(row, { maxLength: 6 }), { minLength: 1, maxLength: 3 }), (tables) => {
      const all = tables.flat();
      for (const { name, priceSource } of grouped(tables, [property('namespace')])) {
        const own = all.filter(({ namespace }) => namespace === name);
        const known = new Set(own.map((one) => one.priceSource).filter((one) => one !== ''));
        const [only = ''] = known;
        assert.equal(priceSource, known.size > 1 ? 'mixed' : only);
      }
    }),
  );
}); // prettier-ignore

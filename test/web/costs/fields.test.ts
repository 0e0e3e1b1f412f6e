/** The filter that means one row, and the way down. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ALLOCATION_FIELDS } from '../../../src/allocation/row/filter-fields.ts';
import { parseFilter } from '../../../src/query/index.ts';
import { errorPlace, placeIn } from '../../../src/web/costs/completion.ts';
import {
  allOf,
  filterOf,
  levelBelow,
  shortName,
  shownName,
  valuesOf,
} from '../../../src/web/costs/fields.ts';

function parse(text: string): void {
  parseFilter(text, { parameter: 'filter', fields: ALLOCATION_FIELDS, example: '' });
}

const CASES = [
  ['namespace', 'web', 'namespace:"web"'],
  ['namespace', 'a"b\\c', 'namespace:"a\\"b\\\\c"'],
  [
    'controller',
    'deployment:storefront',
    'controllerKind:"deployment"+controllerName:"storefront"',
  ],
  ['controller', '__unallocated__', 'controllerName:""'],
  ['service', 'web', 'services:"web"'],
  ['label:app', 'app=shop', 'label[app]:"shop"'],
  ['label:app.kubernetes.io/name', '__unallocated__', 'label[app.kubernetes.io/name]:""'],
  ['annotation:owner', 'owner=a=b', 'annotation[owner]:"a=b"'],
  ['deployment', 'web', 'controllerKind:"deployment"+controllerName:"web"'],
  ['job', '__unallocated__', 'controllerKind!:"job"'],
] as const;

describe('the rows of a value', () => {
  for (const [field, value, filter] of CASES) {
    test(`${field} ${value} are ${filter}, which the API reads`, () => {
      assert.equal(filterOf({ field, value }), filter);
      assert.doesNotThrow(() => parse(filter));
    });
  }
});

test('any values joined to any filter are a filter that the API reads', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 });
  const field = fc.constantFrom('namespace', 'pod', 'controller', 'label:app', 'deployment');
  const crumb = fc.record({ field, value: text });
  const own = fc.constantFrom('', 'pod:a|pod:b', 'namespace!:"x"', '(pod:a+node:b)|pod:c');
  fc.assert(
    fc.property(fc.array(crumb, { maxLength: 4 }), own, (crumbs, filter) => {
      const whole = allOf([...crumbs.map(filterOf), filter]);
      if (whole !== '') parse(whole);
    }),
  );
});

test('the way down ends at containers', () => {
  const way: string[] = [];
  for (let at: string | undefined = 'cluster'; at !== undefined; at = levelBelow(at)) way.push(at);
  assert.deepEqual(way, ['cluster', 'namespace', 'controller', 'pod', 'container']);
});

test('values of a name are told apart, with slashes in the first where it is known', () => {
  assert.deepEqual(valuesOf('web/a', ['namespace', 'controller']), ['web', 'a']);
  assert.deepEqual(valuesOf('aws:///x/i-1', ['providerID']), ['aws:///x/i-1']);
  const known = new Set(['aws:///x/i-1']);
  assert.deepEqual(valuesOf('aws:///x/i-1/web', ['providerID', 'namespace'], known), [
    'aws:///x/i-1',
    'web',
  ]);
  assert.equal(shownName('web/__unallocated__'), 'web/none');
  assert.equal(shortName('web/deployment:shop'), 'web/shop');
  assert.equal(shortName('jobs:a'), 'jobs:a');
});

test('completion knows what is being written', () => {
  const cases = [
    ['', { is: 'field', begun: '', start: 0 }],
    ['nam', { is: 'field', begun: 'nam', start: 0 }],
    ['namespace:', { is: 'value', field: 'namespace', begun: '', start: 10 }],
    ['namespace!~:we', { is: 'value', field: 'namespace', begun: 'we', start: 12 }],
    ['namespace:"we', { is: 'value', field: 'namespace', begun: 'we', start: 10 }],
    ['namespace:"a","b', { is: 'value', field: 'namespace', begun: 'b', start: 14 }],
    ['namespace:"a"', { is: 'joint' }],
    ['namespace:"a"+po', { is: 'field', begun: 'po', start: 14 }],
    ['(namespace:a|', { is: 'field', begun: '', start: 13 }],
    ['label[ap', { is: 'label', kind: 'label', begun: 'ap', start: 6 }],
    ['label[app]:"s', { is: 'value', field: 'label[app]', begun: 's', start: 11 }],
    ['pod:a b', { is: 'field', begun: 'b', start: 6 }],
    ['%', { is: 'joint' }],
  ] as const;
  for (const [text, place] of cases) assert.deepEqual(placeIn(text), place, text);
});

test('completion ends for any text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'ab:"\\,+|()[]!~<> '.split('')), maxLength: 30 }),
      (text) => {
        const place = placeIn(text);
        if (place.is !== 'joint') assert.ok(place.start <= text.length);
      },
    ),
  );
});

test('the place of an error is that of the message of the API', () => {
  for (const [filter, at] of [
    ['namespac:"x"', 1],
    ['namespace:"x"+(', 16],
    ['namespace "x"', 11],
  ] as const) {
    assert.throws(
      () => parse(filter),
      (error: Error) => errorPlace(error.message) === at,
      filter,
    );
  }
  assert.equal(errorPlace('no such thing'), undefined);
});

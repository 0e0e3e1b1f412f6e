import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from '../../src/query/index.ts';

const NAMES = ['cluster', 'clusterId', 'port', 'timezone', 'namespace'];

const ROWS: readonly (readonly [string, string | undefined])[] = [
  ['prot', 'port'],
  ['PORT', 'port'],
  ['clusterid', 'clusterId'],
  ['time-zone', 'timezone'],
  ['namespaces', 'namespace'],
  ['colour', undefined],
  ['prt', 'port'],
  ['nope', undefined],
  ['', undefined],
  ['x', undefined],
  ['n'.repeat(100_000), undefined],
];

for (const [typed, expected] of ROWS) {
  test(`'${typed.slice(0, 20)}' is nearest to ${expected}`, () => {
    assert.equal(nearest(typed, NAMES), expected);
  });
}

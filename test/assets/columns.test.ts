/** Sets that were stored when nodes were the only assets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withTypes } from '../../src/assets/columns.ts';
import { plain, tableOf, type Columns } from '../support/stores/stored-sets.ts';

const OLD: Columns = {
  cluster: ['a', 'b'],
  node: ['n1', 'n2'],
  providerID: ['id1', 'id2'],
  cpuCost: [1, 2],
  ramCost: [0.5, 0.25],
};

test('rows of old sets are read as nodes, with their names and costs', () => {
  const like = { ...OLD, type: ['', ''], name: ['', ''], gpuCost: [0], cost: [0] };
  assert.deepEqual(plain(withTypes(tableOf(OLD)), like), {
    ...OLD,
    type: ['Node', 'Node'],
    name: ['n1', 'n2'],
    gpuCost: [0, 0],
    cost: [1.5, 2.25],
  });
});

test('other sets stay as they are', () => {
  const table = tableOf({ type: ['Disk'], name: ['pv'], node: [''] });
  assert.equal(withTypes(table), table);
  const empty = tableOf({}, 0);
  assert.equal(withTypes(empty), empty);
});

/** Requests that no node can have taken. Times are minutes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide, MINUTE_MS, type Series } from '../../support/fleets/decided.ts';

const NODE = { node: 'n1' };

function capacity(cores: number): Series {
  return { fact: 'nodeCapacity', labels: { ...NODE, resource: 'cpu' }, values: [[0, cores]] };
}

function asked(values: Pairs): Series {
  return { fact: 'requests', labels: { ...NODE, container: 'app', resource: 'cpu' }, values };
}

type Pairs = readonly (readonly [number, number])[];
const ROWS: readonly (readonly [what: string, cores: number, told: Pairs, believed: Pairs])[] = [
  ['as much as the node has', 4, [[0, 1], [5, 4]], [[0, 1], [5, 4]]],
  ['far more than the node has: the one before holds', 4, [[0, 1], [5, 1e300], [9, 2]], [[0, 1], [9, 2]]],
  ['less than nothing', 4, [[0, 1], [5, -1]], [[0, 1]]],
  ['never one that can be: none', 4, [[0, 1e300]], []],
  ['of a node without a capacity that can be', -1, [[0, 1e3]], [[0, 1e3]]],
]; // prettier-ignore

for (const [what, cores, told, believed] of ROWS) {
  test(`requests are believed: ${what}`, () => {
    const info: Series = { fact: 'podInfo', labels: NODE };
    const [workload, ...others] = decide([info, capacity(cores), asked(told)]);
    assert.deepEqual(others, []);
    const pairs = believed.flatMap(([at, value]) => [at * MINUTE_MS, value]);
    assert.deepEqual(workload?.requests.cpu, pairs);
    assert.equal(workload?.isDoubted, believed.length < told.length);
  });
}

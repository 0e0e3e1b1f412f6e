/** Prices that nobody asks, in series of the store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { believedPrices } from '../../../src/allocation/inventory/price-runs.ts';
import { Runs } from '../../../src/allocation/inventory/runs.ts';
import { pricerOf } from '../../support/fleets/decided.ts';

const ROWS: readonly (readonly [
  what: string,
  told: readonly number[],
  believed: readonly number[],
  isDoubted: boolean,
])[] = [
  ['prices that are right', [0, 1, 5, 2], [0, 1, 5, 2], false],
  ['0 between others: the one before holds', [0, 1, 5, 0, 9, 2], [0, 1, 9, 2], true],
  ['less than nothing', [0, 1, 5, -1], [0, 1], true],
  ['more than anybody asks', [0, 1, 5, 1e300], [0, 1], true],
  ['0 at the start: the first that is believed holds', [0, 0, 5, 2], [5, 2], true],
  ['0 throughout', [0, 0], [], false],
];

for (const [what, told, believed, isDoubted] of ROWS) {
  test(`a series of prices is believed: ${what}`, () => {
    const runs = new Runs();
    runs.add(told);
    assert.deepEqual(believedPrices(runs, true), { pairs: believed, isDoubted });
  });
}

test('a price of 0 is believed where things may be free', () => {
  const runs = new Runs();
  runs.add([0, 1, 5, 0]);
  assert.deepEqual(believedPrices(runs), { pairs: [0, 1, 5, 0], isDoubted: false });
});

test("a node's price holds over times at which its exporter had none, and the node is counted", () => {
  const labels = { node: 'n1' };
  const cores = [
    [0, 0.04],
    [5, 0],
    [9, 0.05],
  ] as const;
  const pricer = pricerOf(
    [
      { fact: 'nodeCpuPrice', labels, values: cores },
      { fact: 'nodeRamPrice', labels, values: [[0, 0.005]] },
    ],
    { file: undefined, isListOn: true },
  );
  const { cpu, source } = pricer.pricesOf('c', 'n1');
  const values = cpu.filter((_, i) => i % 2 === 1);
  assert.deepEqual(values, [0.04, 0.05]);
  assert.equal(source, 'series');
  assert.equal(pricer.unpriced.doubted, 1);
});

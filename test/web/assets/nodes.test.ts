/** What nodes are for: parts, bars and words of them, and the lines that their number is made of. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Asset, Breakdown } from '../../../src/web/assets/asset.ts';
import { assetLines } from '../../../src/web/assets/made-of.ts';
import {
  barOf,
  nodeRows,
  nodeWords,
  partsOf,
  shortNode,
  sumOfNodes,
} from '../../../src/web/assets/node-rows.ts';
import { sumOfLines } from '../../../src/web/costs/made-of.ts';
import { node } from './asset-of.ts';

const usd = fc.double({ min: 0, max: 1e5, noNaN: true });
const part = fc.double({ min: 0, max: 1, noNaN: true });

/** Nodes as the API tells them: costs before discounts, a share of each idle, adjusted or not. */
const nodes = fc
  .record({ cpu: usd, ram: usd, gpu: usd, discount: part, cpuIdle: part, ramIdle: part, bill: part })
  .map(({ cpu, ram, gpu, discount, cpuIdle, ramIdle, bill }): Asset => {
    const list = (cpu + ram) * (1 - discount) + gpu;
    const adjustment = list * (bill - 0.5);
    const idle = (share: number): Breakdown => ({ idle: share, system: 0, user: 1 - share });
    return node('a', {
      cpuCost: cpu,
      ramCost: ram,
      gpuCost: gpu,
      cpuCoreHours: cpu * 30,
      discount,
      adjustment,
      totalCost: list + adjustment,
      cpuBreakdown: idle(cpuIdle),
      ramBreakdown: idle(ramIdle),
    });
  }); // prettier-ignore
const charges = fc.record({ cpuCost: usd, ramCost: usd, gpuCost: usd });

test('the parts of a node are none below zero and add up to its cost, whatever is charged of it', () => {
  fc.assert(
    fc.property(nodes, charges, (own, charged) => {
      const { used, over, idle } = partsOf(own, charged);
      for (const each of [used, over, idle]) assert.ok(each >= 0, `${each}`);
      assert.ok(Math.abs(used + over + idle - own.totalCost) <= 1e-9 * Math.max(1, own.totalCost));
    }),
  );
});

test('parts are what is used, what is asked for beyond it, and what nobody asked for', () => {
  const quarter = { idle: 0.75, system: 0, user: 0.25 };
  const machine = { cpuCost: 8, ramCost: 4, cpuBreakdown: quarter, ramBreakdown: quarter };
  const plain = { ...machine, totalCost: 12 };
  for (const [name, own, charged, parts] of [
    ['half of it is asked for', plain, [4, 2, 0], [3, 3, 6]],
    ['nothing is asked for', plain, [0, 0, 0], [0, 0, 12]],
    ['all of it is asked for', plain, [8, 4, 0], [3, 9, 0]],
    ['less is charged than was used', plain, [1, 0, 0], [1, 0, 11]],
    ['a GPU that is held counts as used', { ...machine, gpuCost: 10, totalCost: 22 }, [4, 2, 10], [13, 3, 6]],
    ['a GPU that nobody holds is idle', { ...machine, gpuCost: 10, totalCost: 22 }, [4, 2, 0], [3, 3, 16]],
    ['a discount makes all of it cheaper', { ...machine, discount: 0.5, totalCost: 6 }, [2, 1, 0], [1.5, 1.5, 3]],
    ['the bill changes all of it alike', { ...machine, adjustment: 12, totalCost: 24 }, [8, 4, 0], [6, 6, 12]],
  ] as const) {
    const [cpuCost, ramCost, gpuCost] = charged;
    const { used, over, idle } = partsOf(node('a', own), { cpuCost, ramCost, gpuCost });
    assert.deepEqual([used, over, idle], parts, name);
  }
}); // prettier-ignore

test('nodes are sorted by idle money, and machines of one name share what is charged by it', () => {
  const all = [
    node('small', { totalCost: 2 }),
    node('twice', { totalCost: 6 }),
    node('twice', { totalCost: 2 }),
    node('constructor', { totalCost: 9 }),
  ];
  const rows = nodeRows(all, {
    'prod/twice': { cpuCost: 4, ramCost: 0, gpuCost: 0 },
    'prod/constructor': { cpuCost: 8, ramCost: 0, gpuCost: 0 },
  });
  assert.deepEqual(
    rows.map(({ name, cost, parts }) => [name, cost, parts?.idle]),
    [
      ['twice', 6, 3],
      ['small', 2, 2],
      ['constructor', 9, 1],
      ['twice', 2, 1],
    ],
  );
  assert.equal(sumOfNodes(rows).cost, 19);
  assert.equal(sumOfNodes(rows).idle, 7);
  const unknown = nodeRows(all, undefined);
  assert.deepEqual(
    unknown.map(({ name, parts }) => [name, parts]),
    [
      ['constructor', undefined],
      ['twice', undefined],
      ['small', undefined],
      ['twice', undefined],
    ],
  );
});

test('a bar is as long as its node costs, its parts one after the other', () => {
  const [row] = nodeRows([node('a', { totalCost: 5 })], {
    'prod/a': { cpuCost: 2, ramCost: 0, gpuCost: 0 },
  });
  assert.ok(row !== undefined);
  const bar = barOf(row, 10);
  assert.deepEqual(
    bar.map(({ is }) => is),
    ['used', 'over', 'idle'],
  );
  for (const [at, { from }] of bar.entries()) {
    const before = bar.slice(0, at).reduce((sum, each) => sum + each.length, 0);
    assert.ok(Math.abs(from - before) < 1e-12);
  }
  assert.equal(
    bar.reduce((sum, { length }) => sum + length, 0),
    0.5,
  );
  assert.deepEqual(barOf(row, 0), []);
});

test('a node is told in words, with shares that are known', () => {
  const charged = { 'prod/a.example': { cpuCost: 5, ramCost: 0, gpuCost: 0 } };
  const own = node('a.example', { totalCost: 20, nodeType: 'm5.large', cpuCost: 20 });
  const [known] = nodeRows([own], charged);
  const [unknown] = nodeRows([own], undefined);
  assert.equal(
    known === undefined ? '' : nodeWords(known),
    'a.example, m5.large, in prod: $20.00, used $5.00 (25%), asked for but not used nothing (0%), idle $15.00 (75%)',
  );
  assert.equal(
    unknown === undefined ? '' : nodeWords(unknown),
    'a.example, m5.large, in prod: $20.00',
  );
  for (const [name, short] of [
    ['ip-10-0-0-8.us-east-1.compute.internal', 'ip-10-0-0-8'],
    ['gke-default-54ad6c5f-edf6', 'gke-default-54ad6c5f-edf6'],
    ['10.0.0.8', '10.0.0.8'],
    ['', ''],
  ] as const) {
    assert.equal(shortNode(name), short);
  }
});

test('the lines of a node add up to its cost, with discounts and the bill', () => {
  fc.assert(
    fc.property(nodes, (own) => {
      const sum = sumOfLines(assetLines(own));
      assert.ok(Math.abs(sum - own.totalCost) <= 1e-6 * Math.max(1, own.totalCost), `${sum}`);
    }),
  );
});

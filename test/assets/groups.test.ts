/** Groups of assets against plain sums, on any rows, keys and filters. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AssetGroups, type AssetGroup, type AssetQuery } from '../../src/assets/groups.ts';
import { readKeys } from '../../src/assets/keys.ts';
import { complement, type Filter } from '../../src/query/index.ts';
import { columnsOf, type AssetRow } from '../support/stores/asset-days.ts';
import { tableOf } from '../support/stores/stored-sets.ts';

const cents = fc.integer({ min: 0, max: 1000 });
const row: fc.Arbitrary<AssetRow> = fc.record({
  type: fc.constantFrom('Node', 'Disk', 'LoadBalancer', 'Network', 'ClusterManagement'),
  cluster: fc.constantFrom('', 'a', 'b'),
  name: fc.constantFrom('n', 'm', '__proto__'),
  providerID: fc.constantFrom('', 'gce://p/z/n', 'aws:///z/i'),
  provider: fc.constantFrom('', 'GCP', 'AWS'),
  labels: fc.constantFrom('', '{"team":"x"}', '{"team":"y","app":"z"}', '{"__proto__":"q"}'),
  cpuCost: cents,
  gpuCost: cents,
  cost: cents,
  byteHours: cents,
  discount: fc.constantFrom(0, 0.25, 0.5, 1),
  preemptible: fc.constantFrom(0, 1),
});
const days = fc.array(fc.array(row, { maxLength: 12 }), { maxLength: 3 });
const keys = fc.constantFrom('', 'type', 'cluster,type', 'label:team', 'category,project', 'name');

const equals = (field: string, name: string | null, value: string): Filter => ({
  kind: 'comparison', field, name, operator: 'equals', isNegated: false, values: [value],
}); // prettier-ignore
const filter: fc.Arbitrary<Filter> = fc.constantFrom(
  equals('assetType', null, 'node'),
  equals('cluster', null, 'a'),
  equals('category', null, 'network'),
  equals('project', null, 'p'),
  equals('label', 'team', 'x'),
  equals('provider', null, '__unallocated__'),
);

function grouped(rows: readonly (readonly AssetRow[])[], query: AssetQuery): AssetGroup[] {
  const groups = new AssetGroups(query);
  rows.forEach((ofDay, day) => groups.add(tableOf(columnsOf(day, ofDay), ofDay.length)));
  return groups.all;
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

test('each row is in exactly one group, by any keys', () => {
  fc.assert(
    fc.property(days, keys, (rows, keyText) => {
      const groups = grouped(rows, { keys: readKeys(keyText), filter: null });
      assert.equal(new Set(groups.map(({ name }) => name)).size, groups.length);
      for (const name of ['cost', 'cpuCost', 'gpuCost', 'byteHours'] as const) {
        const all = sum(rows.flat().map((each) => Number(each[name])));
        assert.equal(sum(groups.map(({ sums }) => sums[name])), all, name);
      }
    }),
  );
});

test('a filter and its complement add up to all rows', () => {
  fc.assert(
    fc.property(days, keys, filter, (rows, keyText, chosen) => {
      const costOf = (each: Filter | null): number =>
        sum(grouped(rows, { keys: readKeys(keyText), filter: each }).map(({ sums }) => sums.cost));
      assert.equal(costOf(chosen) + costOf(complement(chosen)), costOf(null));
    }),
  );
});

test('costs before discounts less the discount are the costs', () => {
  fc.assert(
    fc.property(days, keys, (rows, keyText) => {
      for (const group of grouped(rows, { keys: readKeys(keyText), filter: null })) {
        const { cpuCost, ramCost } = group.listed;
        // A discount of 100 % leaves no cost to derive the price from.
        const free = rows.flat().some(({ discount }) => discount === 1);
        const left = (cpuCost + ramCost) * (1 - group.discount.value);
        if (free) continue;
        const paid = group.sums.cpuCost + group.sums.ramCost;
        assert.ok(Math.abs(left - paid) <= 1e-9 * Math.max(1, paid), `${left}, not ${paid}`);
      }
    }),
  );
});

type Texts = Readonly<Record<string, string>>;
const labelsOf = (each: AssetRow): Texts => JSON.parse(String(each['labels']) || '{}') as Texts;

test('a group has the texts and labels in which all of its rows agree', () => {
  fc.assert(
    fc.property(days, (rows) => {
      const groups = grouped(rows, { keys: readKeys('cluster,type'), filter: null });
      for (const { name, texts, labels } of groups) {
        const own = rows
          .flat()
          .filter(
            (each) => `${String(each['cluster']) || '__undefined__'}/${each['type']}` === name,
          );
        for (const of of ['type', 'cluster', 'name', 'provider', 'providerID'] as const) {
          const values = new Set(own.map((each) => each[of]));
          assert.equal(texts[of], values.size === 1 ? [...values][0] : '', of);
        }
        const [first = {}, ...rest] = own.map(labelsOf);
        const alike = Object.entries(first).filter(([label, value]) =>
          rest.every((other) => Object.hasOwn(other, label) && other[label] === value),
        );
        assert.deepEqual(Object.entries(labelsOf({ labels })), alike);
      }
    }),
  );
});

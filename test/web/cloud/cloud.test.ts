/** Cloud and external costs: bars, what of them is in Kubernetes, steps from list prices, what is asked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { belowWords, reconciled, stepsTo } from '../../../src/web/cloud/against-list.ts';
import {
  cloudBars,
  cloudRows,
  METRICS,
  sumsOf,
  type CloudCost,
  type CloudSets,
} from '../../../src/web/cloud/cloud-costs.ts';
import {
  externalSeries,
  hasCharges,
  type ExternalCost,
} from '../../../src/web/cloud/external-costs.ts';
import {
  belowExternal,
  belowFilter,
  externalBelow,
  externalSeriesPath,
  groupBelow,
  groupsPath,
  onePath,
  totalsPath,
} from '../../../src/web/cloud/questions.ts';
import { insidePath } from '../../../src/web/costs/bar-layout.ts';
import { sumOfLines } from '../../../src/web/costs/made-of.ts';
import { readState } from '../../../src/web/url.ts';

const DAY_MS = 86_400_000;

/** @param part in Kubernetes */
function charge(list: number, billed: number = list, spread: number = billed, part = 0): CloudCost {
  const amount = (cost: number): CloudCost['listCost'] => ({ cost, kubernetesPercent: part });
  return {
    listCost: amount(list),
    netCost: amount(billed),
    amortizedNetCost: amount(spread),
    properties: {},
  };
}

function setsOf(days: readonly Readonly<Record<string, CloudCost>>[]): CloudSets {
  const iso = (day: number): string => new Date(day * DAY_MS).toISOString();
  const sets = days.map((cloudCosts, at) => ({
    cloudCosts,
    window: { start: iso(at), end: iso(at + 1) },
  }));
  return { sets };
}

const usd = fc.double({ min: 0, max: 1e4, noNaN: true });
const part = fc.double({ min: 0, max: 1, noNaN: true });
const names = fc.constantFrom('a', 'b', 'c', 'd', 'constructor', '__proto__x', '');
const days = fc.array(
  fc.dictionary(names, fc.tuple(usd, part).map(([cost, own]) => charge(cost, cost, cost, own))),
  { minLength: 1, maxLength: 6 },
); // prettier-ignore

/** One group of all charges of each day. */
function together({ sets }: CloudSets): CloudSets {
  return setsOf(
    sets.map(({ cloudCosts }) => {
      const { usd: all, inKubernetes } = sumsOf({ sets: [{ cloudCosts, window: { start: '', end: '' } }] }).listCost;
      return { AWS: charge(all, all, all, all > 0 ? inKubernetes / all : 0) };
    }),
  );
} // prettier-ignore

test('stacks and the rest come to the totals of each day, and no more is in Kubernetes than they cost', () => {
  fc.assert(
    fc.property(days, fc.integer({ min: 1, max: 4 }), (all, most) => {
      const groups = setsOf(all);
      const drawn = cloudBars(together(groups), groups, 'amortizedNetCost', most);
      assert.ok(drawn.stacks.length <= most + 1);
      assert.equal(drawn.insides.length, drawn.stacks.length);
      for (const [at, total] of drawn.totals.entries()) {
        const sum = drawn.stacks.reduce((cost, { costs }) => cost + (costs[at] ?? 0), 0);
        assert.ok(Math.abs(sum - total) <= 0.005 + 1e-6 * total, `${sum} is not ${total}`);
        for (const [stack, inside] of drawn.insides.entries()) {
          const own = inside[at] ?? 0;
          assert.ok(own >= 0 && own <= (drawn.stacks[stack]?.costs[at] ?? 0));
        }
      }
    }),
  );
});

test('bars have the largest groups, the rest as other, and a day of another question nowhere', () => {
  const groups = setsOf([
    { db: charge(2), vm: charge(10, 10, 10, 0.5), tiny: charge(1) },
    { vm: charge(20, 20, 20, 0.25) },
    { late: charge(99) },
  ]);
  const all = setsOf([{ AWS: charge(14, 14, 14, 6 / 14) }, { AWS: charge(20, 20, 20, 0.25) }]);
  const { stacks, insides, totals, spans } = cloudBars(all, groups, 'listCost', 2);
  assert.deepEqual(
    stacks.map(({ name, costs }) => [name, ...costs]),
    [
      ['vm', 10, 20],
      ['db', 2, 0],
      ['other', 2, 0],
    ],
  );
  assert.deepEqual(
    insides.map((inside) => [...inside].map((each) => Math.round(each * 100) / 100)),
    [
      [5, 5],
      [0, 0],
      [1, 0],
    ],
  );
  assert.deepEqual([...totals], [14, 20]);
  assert.equal(spans.length, 2);
});

test('rows tell the cost, the list price and what is in Kubernetes, the most costly first', () => {
  const rows = cloudRows(
    setsOf([{ s3: charge(10, 9, 9), ec2: charge(100, 90, 70, 0.5), tax: charge(0, 3, 3) }]),
    'amortizedNetCost',
  );
  assert.deepEqual(
    rows.map(({ name, usd: cost, list, below, inKubernetes }) => [
      name,
      cost,
      list,
      below,
      inKubernetes,
    ]),
    [
      ['ec2', 70, 100, 30, 35],
      ['s3', 9, 10, 1, 0],
      ['tax', 3, 0, -3, 0],
    ],
  );
  assert.deepEqual(cloudRows({ sets: [] }, 'netCost'), []);
});

test('steps from the list price add up to each cost, and steps of nothing are left out', () => {
  fc.assert(
    fc.property(usd, usd, usd, (listCost, netCost, amortizedNetCost) => {
      const costs = { listCost, netCost, amortizedNetCost };
      for (const metric of METRICS) {
        const sum = sumOfLines(stepsTo(metric, costs));
        assert.ok(Math.abs(sum - costs[metric]) <= 1e-6);
      }
    }),
  );
  for (const [metric, [listCost, netCost, amortizedNetCost], steps] of [
    ['listCost', [10, 9, 8], ['At list price']],
    ['netCost', [10, 9, 8], ['At list price', 'Discounts']],
    ['amortizedNetCost', [10, 9, 8], ['At list price', 'Discounts', 'Paid in advance at another time']],
    ['amortizedNetCost', [10, 10, 10], ['At list price']],
    ['netCost', [0, 3, 3], ['At list price', 'Billed beyond list price']],
  ] as const) {
    const told = stepsTo(metric, { listCost, netCost, amortizedNetCost }).map(({ what }) => what);
    assert.deepEqual(told, steps);
  }
}); // prettier-ignore

test('the bill is told against list price, in Kubernetes and outside of it, and beside assets', () => {
  const sums = sumsOf(setsOf([{ ec2: charge(100, 90, 80, 0.5) }, { s3: charge(20, 20, 20) }]));
  const rows = reconciled(sums, 'amortizedNetCost', { totalCost: 45, adjustment: -5 });
  assert.deepEqual(
    rows.map(({ list, paid, below }) => [list, paid, below]),
    [
      [120, 100, 20],
      [50, 40, 10],
      [70, 60, 10],
      [50, 45, 5],
    ],
  );
  assert.equal(reconciled(sums, 'netCost', undefined).length, 3);
  const percent = (own: number): string => `${Math.round(own * 100)} %`;
  for (const [below, list, words] of [
    [20, 120, '17 % less than list price'],
    [-6, 12, '50 % more than list price'],
    [0, 12, 'list price'],
    [-3, 0, ''],
  ] as const) {
    assert.equal(belowWords(below, list, percent), words);
  }
});

test('external costs have totals of all groups, also of those that are not among them', () => {
  const cost = (aggregate: string, own: number): ExternalCost => ({
    aggregate,
    cost: own,
    billedCost: own,
    listCost: own,
    usage_quantity: 0,
    usage_unit: '',
    account_name: '',
    charge_category: '',
    cost_source: '',
    domain: aggregate,
    description: '',
    resource_name: '',
    resource_type: '',
  });
  const entry = (day: number, costs: readonly ExternalCost[], totalCost: number) => ({
    window: { start: `2026-11-0${day}T00:00:00Z`, end: `2026-11-0${day + 1}T00:00:00Z` },
    totalCost,
    totalBilledCost: totalCost,
    totalListCost: totalCost,
    customCosts: costs,
  });
  const series = externalSeries({
    timeseries: [entry(1, [cost('openai', 3)], 5), entry(2, [cost('openai', 4), cost('db', 1)], 5)],
  });
  assert.deepEqual([...series.totals], [5, 5]);
  assert.deepEqual([...(series.byName.get('openai') ?? [])], [3, 4]);
  assert.deepEqual([...(series.byName.get('db') ?? [])], [0, 1]);
  assert.ok(hasCharges(series));
  assert.ok(!hasCharges(externalSeries({ timeseries: [entry(1, [], 0)] })));
});

test('the hatched part of a stack lies at its lower end, and never beyond it', () => {
  const scale = { x: (index: number) => index * 10, y: (own: number) => 100 - own, barWidth: 8 };
  for (const [costs, insides, path] of [
    [[[10], [20]], [[4], [20]], 'M0 96h8v4h-8zM0 70h8v20h-8z'],
    [[[10]], [[99]], 'M0 90h8v10h-8z'],
    [[[10, 5]], [[0, 5]], 'M10 95h8v5h-8z'],
    [[[10]], [], ''],
    [[], [], ''],
  ] as const) {
    assert.equal(insidePath(costs, insides, scale), path);
  }
});

test('a group is opened by the next field and a filter that means it', () => {
  const question = { group: 'service', metric: 'netCost', filter: 'provider:"AWS"' } as const;
  assert.equal(belowFilter(question, 'Amazon "S3"'), 'provider:"AWS"+(service:"Amazon \\"S3\\"")');
  assert.equal(
    belowFilter({ ...question, filter: 'a:"1"|b:"2"' }, '__unallocated__'),
    '(a:"1"|b:"2")+service:""',
  );
  assert.deepEqual(['service', 'providerID', 'category', 'constructor'].map(groupBelow), [
    'providerID',
    undefined,
    'service',
    undefined,
  ]);
  assert.equal(belowExternal({ group: 'domain', filter: '' }, 'openai'), 'domain:"openai"');
  assert.deepEqual(['domain', 'resourceName'].map(externalBelow), ['resourceName', undefined]);
});

test('requests share the window and the filter, and sets are days or as long as bars are', () => {
  const question = { group: 'service', metric: 'netCost', filter: 'provider:"AWS"' } as const;
  for (const [per, unit] of [
    ['day', null],
    ['hour', null],
    ['week', 'week'],
    ['quarter', 'quarter'],
  ] as const) {
    const state = readState(`?window=30d&per=${per}`);
    for (const path of [
      totalsPath(state, question),
      groupsPath(state, question),
      externalSeriesPath(state, { group: 'domain', filter: '' }),
    ]) {
      const query = new URLSearchParams(path.split('?')[1]);
      assert.equal(query.get('window'), '30d');
      assert.equal(query.get('accumulate'), unit, path);
    }
  }
  const one = new URLSearchParams(onePath(readState(''), question, 'S3').split('?')[1]);
  assert.equal(one.get('filter'), 'provider:"AWS"+service:"S3"');
});

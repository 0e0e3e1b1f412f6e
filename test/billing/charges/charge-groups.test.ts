/** What groups of charges add up to, against the slow way, for random bills. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  ChargeGroups,
  foldedField,
  LABEL_FIELD,
  plainField,
  plainMeasure,
  ZONE,
  type ChargeKey,
  type ChargeQuery,
  type ChargeSchema,
} from '../../../src/billing/charges/index.ts';
import { compileKernels, createEngine } from '../../../src/columnar/index.ts';
import { complement } from '../../../src/query/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { type Charge } from '../../support/stores/charges.ts';
import { exactSum } from '../../support/references/exact-sum.ts';
import { filters, texts } from '../../support/arbitraries/filter-arbitraries.ts';
import { tableOf, type Columns } from '../../support/stores/stored-sets.ts';

const FIELDS = [
  plainField('zone', ZONE),
  plainField('service'),
  foldedField('domain'),
  LABEL_FIELD,
];
const SCHEMA: ChargeSchema = {
  fields: FIELDS,
  measures: ['billedCost', 'listCost'].map(plainMeasure),
  texts: ['service', 'domain'],
  numbers: ['listUnitPrice'],
};
const HOUR_MS = 3_600_000;
const [OWNER, TASK] = [1, 2];
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), OWNER);

type Row = Required<
  Pick<
    Charge,
    | 'availabilityZone'
    | 'regionID'
    | 'service'
    | 'domain'
    | 'tags'
    | 'startMs'
    | 'endMs'
    | 'billedCost'
    | 'listCost'
    | 'listUnitPrice'
  >
>;

const money = fc.integer({ min: -1e6, max: 1e6 }).map((cents) => cents / 100);
const hour = fc.nat(48).map((hours) => hours * HOUR_MS);
const row: fc.Arbitrary<Row> = fc
  .record({
    availabilityZone: texts,
    regionID: texts,
    service: texts,
    domain: texts,
    tags: fc.dictionary(fc.constantFrom('app', 'a-b'), texts).map((tags) => JSON.stringify(tags)),
    startMs: hour,
    hours: fc.nat(30),
    billedCost: money,
    listCost: money,
    listUnitPrice: fc.constantFrom(1, 2),
  })
  .map(({ hours, ...rest }) => ({ ...rest, endMs: rest.startMs + hours * HOUR_MS }));

const KEYS: readonly ChargeKey[] = [
  ...['zone', 'service', 'domain'].map((field) => ({ field, label: null })),
  { field: 'label', label: 'app' },
];
const keys = fc.subarray([...KEYS], { minLength: 1 });
/** Side by side, around all charges. */
const windows = fc.uniqueArray(hour, { maxLength: 5 }).map((cuts) => {
  const edges = [-HOUR_MS, ...cuts.filter((ms) => ms > 0).toSorted((a, b) => a - b), 200 * HOUR_MS];
  return edges.slice(1).map((endMs, i) => ({ startMs: edges[i] ?? 0, endMs }));
});

function add(groups: ChargeGroups, rows: readonly Row[]): void {
  const columns = Object.keys(rows[0] ?? {}) as (keyof Row)[];
  const values = columns.map((name) => [name, rows.map((each) => each[name])] as const);
  const table = tableOf(Object.fromEntries(values) as Columns, rows.length);
  groups.add({ engine, owner: TASK }, table);
  engine.arena.release(TASK);
}

function grouped(rows: readonly Row[], query: ChargeQuery, parts: number = 2): ChargeGroups {
  const groups = new ChargeGroups(SCHEMA, query);
  for (let part = 0; part < parts; part++) {
    add(
      groups,
      rows.filter((_, i) => i % parts === part),
    );
  }
  return groups;
}

function sumOf(groups: ChargeGroups, windowCount: number, measure: string): number {
  const all = Array.from({ length: windowCount }, (_, window) => groups.within(window)).flat();
  return exactSum(all.map((group) => groups.sum(measure, group)));
}

const near = (actual: number, expected: number, what: string): void =>
  assert.ok(Math.abs(actual - expected) < 1e-6, `${what}: ${actual}, not ${expected}`);

const VALUE_OF: Readonly<Record<string, (row: Row) => string>> = {
  zone: ({ availabilityZone, regionID }) => availabilityZone || regionID,
  service: ({ service }) => service,
  domain: ({ domain }) => domain,
  label({ tags }) {
    const app = (JSON.parse(tags) as Readonly<Record<string, string>>)['app'];
    return app ? `app=${app}` : '';
  },
};

test('groups add up to the charges, whatever they are grouped by and however time is cut', () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 20 }),
      keys,
      windows,
      fc.boolean(),
      (rows, by, cuts, isSeparate) => {
        const query = { windows: cuts, keys: by, isSeparate, filter: null };
        const groups = grouped(rows, query);
        for (const measure of ['billedCost', 'listCost'] as const) {
          const expected = exactSum(rows.map((each) => each[measure]));
          near(sumOf(groups, cuts.length, measure), expected, measure);
        }
      },
    ),
  );
});

test('groups of slices, merged, are the groups of the whole', () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 20 }),
      fc.array(row, { minLength: 1, maxLength: 20 }),
      keys,
      windows,
      fc.boolean(),
      (some, others, by, cuts, isSeparate) => {
        const query = { windows: cuts, keys: by, isSeparate, filter: null };
        const whole = grouped(some, query);
        for (const group of [grouped(others, query)])
          whole.merge({ engine }, group.store({ engine, owner: TASK }));
        engine.arena.release(TASK);
        const merged = new ChargeGroups(SCHEMA, query);
        for (const part of [grouped(some, query), grouped(others, query)]) {
          merged.merge({ engine }, part.store({ engine, owner: TASK }));
        }
        engine.arena.release(TASK);
        const direct = grouped(some, query);
        for (const one of others) add(direct, [one]);
        for (const of of [whole, merged])
          assert.deepEqual(told(of, cuts.length), told(direct, cuts.length));
      },
    ),
    { numRuns: 50 },
  );
});

/** All that groups tell, in an order that does not depend on how they came. */
function told(groups: ChargeGroups, windowCount: number): unknown[] {
  const all = Array.from({ length: windowCount }, (_, window) =>
    groups
      .within(window)
      .map((group) => [
        window,
        groups.name(group),
        ...['billedCost', 'listCost'].map((name) =>
          groups.sum(name, group).toFixed(6).replace('-0.000000', '0.000000'),
        ),
        groups.text('service', group),
        groups.text('domain', group),
        groups.number('listUnitPrice', group),
      ]),
  );
  return all
    .flat()
    .map((each) => JSON.stringify(each))
    .toSorted();
}

test('a filter and its complement add up to the whole', () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 20 }),
      keys,
      filters(texts, FIELDS),
      (rows, by, filter) => {
        const whole = { startMs: -HOUR_MS, endMs: 200 * HOUR_MS };
        const sums = [filter, complement(filter)].map((each) =>
          sumOf(
            grouped(rows, { windows: [whole], keys: by, isSeparate: false, filter: each }),
            1,
            'billedCost',
          ),
        );
        near(exactSum(sums), exactSum(rows.map(({ billedCost }) => billedCost)), 'both');
      },
    ),
  );
});

test('each group equals a loop over its charges, and has the texts on which they agree', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), keys, (rows, by) => {
      const whole = { startMs: -HOUR_MS, endMs: 200 * HOUR_MS };
      const groups = grouped(rows, { windows: [whole], keys: by, isSeparate: false, filter: null });
      const expected = new Map<string, Row[]>();
      for (const each of rows) {
        const name = by.map(({ field }) => VALUE_OF[field]?.(each) || '__unallocated__').join('/');
        expected.set(name, [...(expected.get(name) ?? []), each]);
      }
      assert.equal(groups.within(0).length, expected.size);
      for (const group of groups.within(0)) {
        const own = expected.get(groups.name(group)) ?? [];
        near(
          groups.sum('listCost', group),
          exactSum(own.map(({ listCost }) => listCost)),
          groups.name(group),
        );
        const agreed = <Value>(values: readonly Value[]): Value | undefined =>
          new Set(values).size === 1 ? values[0] : undefined;
        assert.equal(groups.text('service', group), agreed(own.map(({ service }) => service)));
        assert.equal(
          groups.number('listUnitPrice', group),
          agreed(own.map((each) => each.listUnitPrice)),
        );
      }
    }),
  );
});

/** opencost-behaviour.md 9.8: a charge beside the grid of days is split by time. */
const SPLITS: readonly (readonly [name: string, startHour: number, endHour: number, shares: readonly number[]])[] = [
  ['a charge of a day on the grid is whole', 0, 24, [1, 0]],
  ['a charge twelve hours off the grid is halved', 12, 36, [0.5, 0.5]],
  ['of a charge that began before, the half that is within counts', -12, 12, [0.5, 0]],
  ['of a charge that ends after, the half that is within counts', 36, 60, [0, 0.5]],
  ['a charge without length is whole where it starts', 24, 24, [0, 1]],
  ['a charge of a month counts by its hours', 0, 720, [24 / 720, 24 / 720]],
]; // prettier-ignore
for (const [name, startHour, endHour, shares] of SPLITS) {
  test(name, () => {
    const days = [0, 24].map((at) => ({ startMs: at * HOUR_MS, endMs: (at + 24) * HOUR_MS }));
    const groups = new ChargeGroups(SCHEMA, { windows: days, keys: KEYS, isSeparate: false, filter: null }); // prettier-ignore
    groups.add({ engine, owner: TASK }, tableOf({ startMs: [startHour * HOUR_MS], endMs: [endHour * HOUR_MS], billedCost: [100] })); // prettier-ignore
    days.forEach((_, window) => {
      const [group] = groups.within(window);
      const cost = group === undefined ? 0 : groups.sum('billedCost', group);
      assert.equal(cost, 100 * (shares[window] ?? 0));
    });
  });
}

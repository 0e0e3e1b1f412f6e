/** Every dollar of assets is charged once, whatever is billed and whatever is requested. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { querySet, type SetQuery } from '../../../src/allocation/query/set-query.ts';
import { ALLOCATION_COLUMNS } from '../../../src/allocation/sets/set-files.ts';
import { COST_COLUMNS } from '../../../src/allocation/row/schema.ts';
import { compileKernels, createEngine, stackTables } from '../../../src/columnar/index.ts';
import { complement } from '../../../src/query/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import {
  charged,
  chargedTable,
  sum,
  tableOfRows,
  type Row,
} from '../../support/fleets/charged-fleet.ts';
import { PLAIN } from '../../support/references/plain-query.ts';
import { chargedFleet, type ChargedFleet } from '../../support/fleets/random-fleets.ts';
import { placeFilter } from '../../support/stores/set-days.ts';

const asked = fc.record({ reconcile: fc.boolean(), shareTenancyCosts: fc.boolean() });
type Asked = typeof asked extends fc.Arbitrary<infer Each> ? Each : never;

/** What all rows must come to: assets at what they cost, what exceeds nodes, what is on none. */
function expectedUsd({ rows, assets, bill }: ChargedFleet, { reconcile, shareTenancyCosts }: Asked): number {
  const paid = (asset: Row, isTraffic = false): number | undefined => {
    const lines = bill.filter(({ providerID, category }) =>
      providerID === asset['providerID'] && (category === 'Networking') === isTraffic);
    return reconcile && lines.length > 0 ? sum(lines, ['effectiveCost']) : undefined;
  };
  const onNode = (asset: Row): Row[] =>
    rows.filter(({ cluster, node, container }) =>
      cluster === asset['cluster'] && node === asset['node'] && container !== '__idle__');
  const nodes = assets.filter(({ type }) => type === 'Node');
  let total = 0;
  for (const asset of assets) {
    const isTenancy = asset['type'] === 'ClusterManagement' || asset['isAttached'] === 1;
    if (isTenancy && !shareTenancyCosts) continue;
    if (asset['type'] === 'Network') continue;
    const usd = paid(asset);
    total += usd ?? Number(asset['cost']);
    if (asset['type'] !== 'Node' || usd !== undefined) continue;
    for (const name of ['cpuCost', 'ramCost', 'gpuCost']) {
      total += Math.max(0, sum(onNode(asset), [name]) - Number(asset[name]));
    }
  }
  for (const asset of nodes) {
    total += paid(asset, true) ?? sum(onNode(asset), ['networkCost']);
  }
  const known = new Set(nodes.flatMap(onNode));
  const elsewhere = rows.filter((row) => !known.has(row) && row['container'] !== '__idle__');
  return total + sum(elsewhere, ['cpuCost', 'ramCost', 'gpuCost', 'networkCost']);
} // prettier-ignore

const near = (actual: number, expected: number, scale: number): boolean =>
  Math.abs(actual - expected) <= 1e-9 * Math.max(1, scale, Math.abs(expected));

test('Σ allocations + Σ idle − overage = Σ assets, with any of reconcile and tenancy', () => {
  fc.assert(
    fc.property(chargedFleet, asked, (fleet, on) => {
      const result = charged(fleet.rows, fleet.assets, fleet.bill, on);
      const [actual, expected] = [sum(result.rows), expectedUsd(fleet, on)];
      assert.ok(near(actual, expected, sum(fleet.rows)), `${actual} is not ${expected}`);
    }),
    { numRuns: 1000 },
  );
});

test('parameters decide what changes: never costs, adjustments and shared cost separately', () => {
  fc.assert(
    fc.property(chargedFleet, asked, (fleet, on) => {
      const result = charged(fleet.rows, fleet.assets, fleet.bill, on);
      for (const name of COST_COLUMNS) {
        const isFree = name.endsWith('Adjustment')
          ? on.reconcile
          : name === 'sharedCost' && on.shareTenancyCosts;
        if (isFree) continue;
        const values = result.rows.map((row) => row[name]);
        assert.deepEqual(
          values,
          fleet.rows.map((row) => row[name] ?? 0),
          name,
        );
      }
    }),
  );
});

test('nothing costs less than nothing, idle neither, however far a node is exceeded', () => {
  fc.assert(
    fc.property(chargedFleet, asked, (fleet, on) => {
      for (const row of charged(fleet.rows, fleet.assets, fleet.bill, on).rows) {
        for (const name of ['cpuCost', 'ramCost', 'gpuCost', 'pvCost', 'networkCost']) {
          const usd = sum([row], [name, `${name}Adjustment`]);
          assert.ok(usd >= -1e-9 * Math.max(1, sum(fleet.rows)), `${name} is ${usd}`);
        }
      }
    }),
    { numRuns: 300 },
  );
});

const [KERNELS, OWNER] = [1, 2];
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), KERNELS);

function queriedUsd(fleet: ChargedFleet, on: Asked, query: SetQuery): number {
  const stored = stackTables(engine.arena, OWNER, [tableOfRows(fleet.rows)], ALLOCATION_COLUMNS);
  const { table } = chargedTable(stored, fleet.assets, fleet.bill, on, { engine, owner: OWNER });
  const { frame } = querySet(engine, OWNER, [table], query);
  const columns = COST_COLUMNS.filter((name) => frame.columns.has(name));
  const total = columns.reduce((usd, name) => frame.f64(name).reduce((all, each) => all + each, usd), 0);
  engine.arena.release(OWNER);
  return total;
} // prettier-ignore

const query = fc
  .record({
    shareIdle: fc.boolean(),
    splitIdle: fc.boolean(),
    idleByNode: fc.boolean(),
    shareSplit: fc.constantFrom('weighted' as const, 'even' as const),
    share: fc.option(placeFilter),
    includeSharedCostBreakdown: fc.boolean(),
  })
  .map((some): SetQuery => ({
    ...PLAIN,
    keys: [{ kind: 'property', property: 'namespace' }],
    ...some,
  }));

test('however idle and shared costs are told, the whole is the same', () => {
  fc.assert(
    fc.property(chargedFleet, asked, query, (fleet, on, how) => {
      const expected = expectedUsd(fleet, on);
      const actual = queriedUsd(fleet, on, how);
      assert.ok(near(actual, expected, sum(fleet.rows)), `${actual} is not ${expected}`);
    }),
    { numRuns: 500 },
  );
});

test('without idle rows the whole is what idle leaves', () => {
  fc.assert(
    fc.property(chargedFleet, asked, (fleet, on) => {
      const idle = charged(fleet.rows, fleet.assets, fleet.bill, on).rows.filter(
        ({ container }) => container === '__idle__',
      );
      const expected = expectedUsd(fleet, on) - sum(idle);
      const actual = queriedUsd(fleet, on, { ...PLAIN, idle: false });
      assert.ok(near(actual, expected, sum(fleet.rows)), `${actual} is not ${expected}`);
    }),
    { numRuns: 300 },
  );
});

test('a filter and its complement add up to the whole', () => {
  fc.assert(
    fc.property(chargedFleet, asked, query, placeFilter, (fleet, on, how, filter) => {
      const own = { ...how, share: null };
      const whole = queriedUsd(fleet, on, own);
      const some = queriedUsd(fleet, on, { ...own, filter });
      const others = queriedUsd(fleet, on, { ...own, filter: complement(filter) });
      assert.ok(near(some + others, whole, sum(fleet.rows)), `${some} + ${others} is not ${whole}`);
    }),
    { numRuns: 500 },
  );
});

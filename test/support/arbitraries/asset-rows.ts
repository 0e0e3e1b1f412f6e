/** Rows that pay for nodes, load balancers and volumes, at random; and rows as tables. */
import fc from 'fast-check';
import { IDENTITY_COLUMNS } from '../../../src/allocation/row/schema.ts';
import {
  columnSpecs,
  createFrame,
  DictionaryBuilder,
  frameTable,
  type Arena,
  type Owner,
  type Table,
} from '../../../src/columnar/index.ts';
import type { AssetRow, PaidAsset } from '../references/asset-shares-reference.ts';

/** Columns of costs, and where a row has them in parts. */
const RESOURCES: readonly (readonly [cost: string, paid?: 'balancers' | 'volumes'])[] = [
  ['cpuCost'],
  ['gpuCost'],
  ['ramCost'],
  ['loadBalancerCost', 'balancers'],
  ['pvCost', 'volumes'],
];

/** A table as set-rows.ts gives it, with what rows pay for. */
export function tableOfAssets(arena: Arena, owner: Owner, rows: readonly AssetRow[]): Table {
  const codes = [...IDENTITY_COLUMNS, 'pvs', 'lbAllocations', 'endSource'];
  const numbers = RESOURCES.flatMap(([cost]) => [cost, `${cost}Adjustment`]);
  const times = ['startMs', 'endMs', 'endUncertaintyMs'];
  const columns = columnSpecs({ texts: codes, numbers: [...times, ...numbers] });
  const frame = createFrame(arena, columns, rows.length, owner);
  const texts = new DictionaryBuilder();
  for (const name of codes) frame.u32(name).fill(0);
  for (const name of times) frame.f64(name).fill(0);
  const fill = (name: string, of: (row: AssetRow) => string): void =>
    frame.u32(name).set(rows.map((row) => texts.code(of(row))));
  fill('cluster', (row) => row.cluster);
  fill('node', (row) => row.node);
  fill('providerID', (row) => row.node && `aws:///us-east-1a/i-${row.node}`);
  fill('namespace', (row) => row.namespace);
  fill('pod', (row) => row.namespace);
  fill('container', (row) => row.container);
  fill('pvs', ({ cluster, volumes }) =>
    listed(volumes, ({ name, cost, adjustment }) => [
      `cluster=${cluster}:name=${name}`,
      { byteHours: 1, cost, adjustment, providerID: `vol-${name}` },
    ]),
  );
  fill('lbAllocations', ({ cluster, balancers }) =>
    listed(balancers, ({ name, cost }) => [
      `cluster=${cluster}:name=${name}:ip=1.2.3.4`,
      { service: name, cost, private: false, ip: '1.2.3.4' },
    ]),
  );
  RESOURCES.forEach(([name, paid], i) => {
    const sum = (row: AssetRow, of: 'cost' | 'adjustment'): number =>
      paid === undefined
        ? (row.costs[i]?.[of === 'cost' ? 0 : 1] ?? 0)
        : row[paid].reduce((all, one) => all + one[of], 0);
    frame.f64(name).set(rows.map((row) => sum(row, 'cost')));
    frame.f64(`${name}Adjustment`).set(rows.map((row) => sum(row, 'adjustment')));
  });
  return frameTable(frame, texts);
}

function listed(
  paid: readonly PaidAsset[],
  of: (one: PaidAsset) => [key: string, member: object],
): string {
  return paid.length === 0 ? '' : JSON.stringify(Object.fromEntries(paid.map(of)));
}

const some = (...values: string[]): fc.Arbitrary<string> => fc.constantFrom(...values);
const usd = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 20 }),
  fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
);
/** What a bill adds or takes: never more than the list price. */
const costs = fc
  .tuple(usd, fc.constantFrom(0, 0, 0.25, -0.5))
  .map(([cost, part]): [number, number] => [cost, cost * part]);
const paid = (...names: string[]): fc.Arbitrary<PaidAsset[]> =>
  fc
    .uniqueArray(some(...names), { maxLength: 2 })
    .chain((of) =>
      fc.tuple(
        ...of.map((name) => costs.map(([cost, adjustment]) => ({ name, cost, adjustment }))),
      ),
    )
    .map((all) => [...all]);
/** Adjustments of balancers are told of the row alone: divided by cost, as each has the same part of its cost. */
const balancers = fc
  .tuple(paid('a/web', 'b/api', 'n'), fc.constantFrom(0, 0.25, -0.5))
  .map(([all, part]) => all.map((one) => ({ ...one, adjustment: one.cost * part })));
const none = fc.constant<PaidAsset[]>([]);
const place = { cluster: some('c', 'd'), node: some('', 'n', 'm', 'o') };
const row: fc.Arbitrary<AssetRow> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ ...place, namespace: some('a', 'b', 'e'), container: some('k', 'l'), costs: fc.tuple(costs, costs, costs), volumes: paid('v', 'w', 'n'), balancers }) },
  { weight: 2, arbitrary: fc.record({ ...place, namespace: fc.constant(''), container: fc.constant('__idle__'), costs: fc.tuple(costs, costs, costs), volumes: none, balancers: none }) },
  { weight: 1, arbitrary: fc.record({ ...place, namespace: some('a', 'b'), container: fc.constant('__external__'), costs: fc.constant([[0, 0], [0, 0], [0, 0]] as const), volumes: none, balancers: none }) },
  { weight: 1, arbitrary: fc.record({ cluster: place.cluster, node: fc.constant(''), namespace: fc.constant('__unmounted__'), container: fc.constant('__unmounted__'), costs: fc.constant([[0, 0], [0, 0], [0, 0]] as const), volumes: paid('v', 'z'), balancers: none }) },
); // prettier-ignore
export const assetDay: fc.Arbitrary<AssetRow[]> = fc.array(row, { minLength: 1, maxLength: 14 });

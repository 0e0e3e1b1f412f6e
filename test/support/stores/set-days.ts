/** Days of allocations and questions about them, at random; and days as tables. */
import fc from 'fast-check';
import type { SetQuery } from '../../../src/allocation/query/set-query.ts';
import { IDENTITY_COLUMNS } from '../../../src/allocation/row/schema.ts';
import {
  createFrame,
  DictionaryBuilder,
  frameTable,
  type Arena,
  type ColumnSpec,
  type Owner,
  type Table,
} from '../../../src/columnar/index.ts';
import {
  allOf,
  anyOf,
  complement,
  type AggregateKey,
  type Filter,
} from '../../../src/query/index.ts';
import { COSTS, HOURS, type Alloc, type Amount } from '../references/set-query-reference.ts';

const PLACES = ['cluster', 'node', 'namespace', 'pod', 'container'] as const;
const DAY_MS = 86_400_000;

/** A table as set-rows.ts gives it; measures that no row has are left out. */
export function tableOf(arena: Arena, owner: Owner, day: readonly Alloc[]): Table {
  const numbers = [...COSTS, ...HOURS].filter((name) => day.some((one) => one.amounts[name]));
  const columns = [
    ...[...IDENTITY_COLUMNS, 'labels', 'endSource'].map((name): ColumnSpec => ({ name, type: 'u32' })),
    ...['startMs', 'endMs', 'endUncertaintyMs', ...numbers].map((name): ColumnSpec => ({ name, type: 'f64' })),
  ]; // prettier-ignore
  const frame = createFrame(arena, columns, day.length, owner);
  const texts = new DictionaryBuilder();
  for (const { name, type } of columns) if (type === 'u32') frame.u32(name).fill(0);
  for (const name of PLACES) frame.u32(name).set(day.map((one) => texts.code(one[name])));
  frame.u32('labels').set(day.map(({ team }) => texts.code(team && `{"team":"${team}"}`)));
  frame.f64('startMs').fill(0);
  frame.f64('endMs').fill(DAY_MS);
  frame.f64('endUncertaintyMs').fill(0);
  for (const name of numbers) frame.f64(name).set(day.map((one) => one.amounts[name] ?? 0));
  return frameTable(frame, texts);
}

const some = (...values: string[]): fc.Arbitrary<string> => fc.constantFrom(...values);
const cost = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 20 }),
  fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
);
const correction = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: -9, max: 9 })); // prettier-ignore
const amountsOf = (names: readonly Amount[]): fc.Arbitrary<Alloc['amounts']> =>
  fc.record(
    Object.fromEntries(
      names.map((name) => [name, name.endsWith('Adjustment') ? correction : cost]),
    ),
    { requiredKeys: [] },
  );

const RESOURCES = [
  'cpuCoreHours', 'cpuCost', 'cpuCostAdjustment', 'gpuHours', 'gpuCost', 'gpuCostAdjustment',
  'ramByteHours', 'ramCost', 'ramCostAdjustment',
] as const; // prettier-ignore

function allocs(
  places: Partial<Record<(typeof PLACES)[number] | 'team', fc.Arbitrary<string>>>,
  names: readonly Amount[],
): fc.Arbitrary<Alloc> {
  const none = fc.constant('');
  return fc.record({
    cluster: some('c', 'd'),
    node: none,
    namespace: none,
    pod: none,
    container: none,
    team: some('', 'red', 'blue'),
    ...places,
    amounts: amountsOf(names),
  });
}

const workload = allocs(
  {
    node: some('', 'n', 'm'),
    namespace: some('a', 'b', 'e'),
    pod: some('p', 'q'),
    container: some('k', 'l'),
  },
  [...RESOURCES, 'pvCost', 'networkCost', 'loadBalancerCost', 'sharedCost'],
);
const idle = allocs(
  { node: some('', 'n', 'm'), container: fc.constant('__idle__'), team: fc.constant('') },
  [...RESOURCES, 'networkCost'],
);
const unmounted = allocs(
  { namespace: some('a', '__unmounted__'), container: fc.constant('__unmounted__') },
  ['pvCost'],
);
const external = allocs({ namespace: some('a', ''), container: fc.constant('__external__') }, [
  'externalCost',
]);

/** A day of all kinds of rows. */
export const anyDay: fc.Arbitrary<Alloc[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: workload },
    { weight: 2, arbitrary: idle },
    { weight: 1, arbitrary: unmounted },
    { weight: 1, arbitrary: external },
  ),
  { maxLength: 24 },
);

const comparison = (
  field: string,
  name: string | null,
  ...values: string[]
): fc.Arbitrary<Filter> =>
  fc
    .record({ isNegated: fc.boolean(), values: fc.uniqueArray(some(...values), { minLength: 1 }) })
    .map((rest): Filter => ({ kind: 'comparison', field, name, operator: 'equals', ...rest }));

/** Filters by places only: all rows of a name match, or none. */
export const placeFilter: fc.Arbitrary<Filter> = fc
  .array(
    fc.oneof(
      comparison('cluster', null, 'c', 'd'),
      comparison('node', null, 'n', 'm'),
      comparison('namespace', null, 'a', 'b', 'x'),
      comparison('pod', null, 'p', '__unallocated__'),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .chain((parts) => fc.constantFrom(allOf(parts), anyOf(parts), complement(anyOf(parts))));

export const anyFilter: fc.Arbitrary<Filter> = fc.oneof(
  placeFilter,
  comparison('label', 'team', 'red', 'blue', '__unallocated__'),
);

const property = (name: 'cluster' | 'namespace' | 'pod'): AggregateKey => ({
  kind: 'property',
  property: name,
});
const keys: readonly AggregateKey[][] = [
  [],
  [property('cluster')],
  [property('namespace')],
  [{ kind: 'label', name: 'team' }],
  [property('cluster'), property('pod')],
];

const anyPlainQuery: fc.Arbitrary<SetQuery> = fc.record({
  keys: fc.constantFrom(...keys),
  filter: fc.option(anyFilter),
  share: fc.option(anyFilter),
  idle: fc.boolean(),
  shareIdle: fc.boolean(),
  splitIdle: fc.boolean(),
  idleByNode: fc.boolean(),
  external: fc.boolean(),
  shareSplit: fc.constantFrom('weighted', 'even'),
  overheads: fc.array(fc.record({ name: some('rent', 'staff'), usd: cost }), { maxLength: 2 }),
  includeSharedCostBreakdown: fc.boolean(),
});

export const anyQuery: fc.Arbitrary<SetQuery> = fc
  .tuple(anyPlainQuery, fc.boolean())
  .map(([query, shares]) => (shares ? { ...query, sharesBalancers: true } : query));

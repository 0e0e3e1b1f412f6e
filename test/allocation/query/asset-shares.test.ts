/** Shares of rows in the costs of assets, against a slow reference, and what must hold whatever is asked. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sharesText } from '../../../src/allocation/formats/asset-shares.ts';
import { readFilters, readShares } from '../../../src/allocation/params/filters.ts';
import type { Grouped } from '../../../src/allocation/query/aggregate.ts';
import { queryPage, querySet, type SetQuery } from '../../../src/allocation/query/set-query.ts';
import { accumulate } from '../../../src/allocation/query/sum-sets.ts';
import { ASSET_COSTS, AssetTotals } from '../../../src/allocation/row/asset-costs.ts';
import { compileKernels, createEngine, type Table } from '../../../src/columnar/index.ts';
import { parseQuery } from '../../../src/http/index.ts';
import {
  isMatched,
  nameOf,
  sharesOf,
  type AssetRow,
  type Shares,
} from '../../support/references/asset-shares-reference.ts';
import { assetDay, tableOfAssets } from '../../support/arbitraries/asset-rows.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { ofRuns } from '../../support/property-runs.ts';

const [OWNER, TASK] = [1, 2];
const engine = createEngine(compileKernels(), dirtyMemory(256 << 20), OWNER);
const tableOf = (rows: readonly AssetRow[]): Table => tableOfAssets(engine.arena, TASK, rows);

const PLAIN: SetQuery = {
  keys: [{ kind: 'property', property: 'namespace' }],
  filter: null,
  share: null,
  idle: true,
  shareIdle: false,
  splitIdle: false,
  idleByNode: true,
  external: true,
  shareSplit: 'weighted',
  overheads: [],
  includeSharedCostBreakdown: false,
  showsAssetShares: true,
};
const PODS: SetQuery = { ...PLAIN, keys: [] };

type Answer = Record<string, Shares>;

function read({ frame, texts, assetTotals = '' }: Grouped): Answer {
  const totals = new AssetTotals();
  totals.addText(assetTotals);
  const costs = frame.u32(ASSET_COSTS);
  return Object.fromEntries(
    Array.from(frame.u32('name'), (code, row): [string, Shares] => {
      const text = sharesText(texts.text(costs[row] ?? 0), totals);
      return [texts.text(code), text === '' ? {} : (JSON.parse(text) as Shares)];
    }),
  );
}

/** A set each day, added up where there are several. */
function ask(days: readonly (readonly AssetRow[])[], query: SetQuery, split: number = 99): Answer {
  try {
    const sets = days.map((day) => {
      const tables = [day.slice(0, split), day.slice(split)].map(tableOf);
      const grouped = querySet(engine, TASK, tables, query);
      return { ...grouped, texts: grouped.texts.store(engine.arena, TASK) };
    });
    const [only] = sets;
    return read(only && sets.length === 1 ? only : accumulate(engine, TASK, sets, query));
  } finally {
    engine.arena.release(TASK);
  }
}

/** A row’s shares without what they are called by. */
function numbersOf(shares: Shares): Record<string, Record<string, number>> {
  return Object.fromEntries(
    Object.entries(shares).map(([key, share]) => {
      const numbers = Object.entries(share).filter(([, each]) => typeof each === 'number');
      return [key, Object.fromEntries(numbers) as Record<string, number>];
    }),
  );
}

function assertNear(got: Shares = {}, wanted: Shares, what: string): void {
  const [own, other] = [numbersOf(got), numbersOf(wanted)];
  assert.deepEqual(Object.keys(own).toSorted(), Object.keys(other).toSorted(), what);
  for (const [key, share] of Object.entries(other))
    for (const [name, part] of Object.entries(share)) {
      const is = own[key]?.[name] ?? NaN;
      const off = Math.abs(is - part);
      assert.ok(
        off <= 1e-9 * Math.max(1, Math.abs(part)),
        `${what} ${key} ${name}: ${is} for ${part}`,
      );
    }
}

const assetDays = fc.array(assetDay, { minLength: 1, maxLength: 3 });
const anyKeys = fc.constantFrom<SetQuery['keys']>(
  [],
  [{ kind: 'property', property: 'namespace' }],
  [{ kind: 'property', property: 'cluster' }],
  [{ kind: 'property', property: 'node' }],
  [{ kind: 'property', property: 'all' }],
);
const filters = ['', 'filterNamespaces=a', 'filterNodes=n', 'filterClusters=d', 'filterNamespaces=none'].map(
  (text) => [text, readFilters(parseQuery(text))] as const,
); // prettier-ignore
const anyFilter = fc.constantFrom(...filters);

describe('shares in assets', () => {
  test('are those of the slow reference, whatever the days and the question', () => {
    fc.assert(
      fc.property(
        assetDays,
        anyKeys,
        anyFilter,
        fc.boolean(),
        fc.nat(14),
        (all, keys, [text, filter], idleByNode, split) => {
          const query = { ...PLAIN, keys, filter, idleByNode };
          const got = ask(all, query, split);
          const flat = all.flat();
          const shown = flat.filter((one) =>
            one.container === '__idle__' ? text === '' : isMatched(one, text),
          );
          const wanted = new Map<string, AssetRow[]>();
          for (const one of shown)
            wanted.set(nameOf(one, keys), [...(wanted.get(nameOf(one, keys)) ?? []), one]);
          const names = Object.keys(got).filter((name) => text === '' || name !== '__idle__');
          assert.deepEqual(names.toSorted(), [...wanted.keys()].toSorted());
          for (const [name, rows] of wanted)
            assertNear(got[name], sharesOf(rows, flat, idleByNode), name);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('add up to one for each asset and resource that costs anything, idle included', () => {
    let seen = 0;
    fc.assert(
      fc.property(
        assetDays,
        anyKeys,
        fc.boolean(),
        fc.boolean(),
        (all, keys, idleByNode, shareIdle) => {
          const apart = ask(all, { ...PLAIN, keys, idleByNode });
          // Where idle is distributed, its own share is as where it is apart.
          const rows = ask(all, { ...PLAIN, keys, idleByNode, shareIdle });
          const { __idle__: idle = {} } = apart;
          const sums = new Map<string, number>();
          for (const shares of Object.values({ ...rows, __idle__: idle }))
            for (const [key, share] of Object.entries(numbersOf(shares)))
              for (const [name, part] of Object.entries(share))
                sums.set(`${key} ${name}`, (sums.get(`${key} ${name}`) ?? 0) + part);
          for (const [what, sum] of sums)
            assert.ok(sum === 0 || Math.abs(sum - 1) <= 1e-9, `${what}: ${sum}`);
          seen += sums.size;
        },
      ),
      { numRuns: 80 },
    );
    assert.ok(seen > ofRuns(1000), `${seen} sums`);
  });

  test('do not depend on filters, nor on what is shared besides', () => {
    const share = readShares(parseQuery('shareNamespaces=b'));
    fc.assert(
      fc.property(assetDays, anyFilter, fc.boolean(), (all, [, filter], idleByNode) => {
        const query = { ...PODS, idleByNode };
        const whole = ask(all, query);
        const others: SetQuery[] = [
          { ...query, filter },
          { ...query, shareIdle: true },
          { ...query, share },
          { ...query, sharesBalancers: true },
          { ...query, includeSharedCostBreakdown: true },
        ];
        for (const other of others)
          for (const [name, shares] of Object.entries(ask(all, other)))
            // Idle is cut down to the filter, and what is shared has no row where others bear it.
            if (name !== '__idle__' && !name.includes('/b/'))
              assertNear(shares, whole[name] ?? {}, name);
      }),
      { numRuns: 25 },
    );
  });

  test('are the same on a page, of rows in order of name or not', () => {
    const paging = { limit: 2, offset: 1, sortBy: 'name', isAscending: true };
    fc.assert(
      fc.property(assetDay, anyKeys, fc.boolean(), (rows, keys, isOrdered) => {
        const names = rows.map((one) => nameOf(one, []));
        const order = isOrdered
          ? rows.toSorted((a, b) => (nameOf(a, []) < nameOf(b, []) ? -1 : 1))
          : rows;
        const query = { ...PLAIN, keys };
        const whole = ask([rows], query);
        const page = read(queryPage(engine, TASK, [tableOf(order)], query, [], paging));
        engine.arena.release(TASK);
        assert.ok(Object.keys(page).length <= 3, names.join());
        for (const [name, shares] of Object.entries(page))
          assertNear(shares, whole[name] ?? {}, name);
      }),
      { numRuns: 80 },
    );
  });
});

const POD: AssetRow = {
  cluster: 'c',
  node: 'n',
  namespace: 'a',
  container: 'k',
  costs: [[3, 0], [0, 0], [1, 0]],
  volumes: [],
  balancers: [],
}; // prettier-ignore
const IDLE: AssetRow = { ...POD, namespace: '', container: '__idle__', costs: [[1, 0], [0, 0], [3, 0]] }; // prettier-ignore
const NODE = { cluster: 'c', name: 'n', type: 'Node', providerID: 'i-n' };
const ZEROS = { gpuPercentage: 0, loadBalancerPercentage: 0, pvPercentage: 0 };
const NOTHING = { ...ZEROS, cpuPercentage: 0, ramPercentage: 0, nodeResourceCostPercentage: 0 };

describe('a row names', () => {
  test('its node, by cluster and name', () => {
    const parts = { cpuPercentage: 0.75, ramPercentage: 0.25, nodeResourceCostPercentage: 0.5 };
    assert.deepEqual(ask([[IDLE, POD]], PLAIN), {
      __idle__: {
        'c,n': { ...NODE, ...ZEROS, ...parts, cpuPercentage: 0.25, ramPercentage: 0.75 },
      },
      a: { 'c,n': { ...NODE, ...ZEROS, ...parts } },
    });
  });

  test('its cluster alone where idle is not by node', () => {
    const volumes = [{ name: 'v', cost: 2, adjustment: 2 }];
    const other = { ...POD, namespace: 'b', node: 'm', costs: [], volumes };
    assert.deepEqual(ask([[IDLE, { ...POD, volumes }, other]], { ...PLAIN, idleByNode: false })['a'], {
      c: { cluster: 'c', ...ZEROS, cpuPercentage: 0.75, ramPercentage: 0.25, pvPercentage: 0.5, nodeResourceCostPercentage: 0.5 },
    }); // prettier-ignore
  });

  test('load balancers by their service and volumes by their name, each with its own cost', () => {
    const balancers = [{ name: 'a/web', cost: 1, adjustment: 0 }];
    const volumes = [{ name: 'v', cost: 1, adjustment: 1 }];
    const one = { ...POD, balancers, volumes };
    const other = {
      ...one,
      namespace: 'b',
      balancers: [{ name: 'a/web', cost: 2, adjustment: 1 }],
      volumes: [{ name: 'v', cost: 6, adjustment: 0 }],
    };
    const { a: shares = {} } = ask([[one, other]], PLAIN);
    assert.deepEqual(Object.keys(shares), ['c,a/web', 'c,n', 'c,v']);
    assert.deepEqual(shares['c,a/web'], { cluster: 'c', name: 'a/web', type: 'LoadBalancer', ...NOTHING, loadBalancerPercentage: 0.25 }); // prettier-ignore
    assert.deepEqual(shares['c,v'], { cluster: 'c', name: 'v', type: 'PV', providerID: 'vol-v', ...NOTHING, pvPercentage: 0.25 }); // prettier-ignore
  });

  test('what is not there on a day by what it cost then', () => {
    const quiet = [
      {
        ...IDLE,
        costs: [
          [4, 0],
          [0, 0],
          [4, 0],
        ],
      } as const,
    ];
    const { a = {} } = ask([[IDLE, POD], quiet], PLAIN);
    assert.equal(a['c,n']?.['cpuPercentage'], 3 / 8);
    const { filter } = { filter: readFilters(parseQuery('filterNamespaces=a')) };
    assert.deepEqual(ask([[IDLE, POD], quiet], { ...PLAIN, filter })['a'], a);
  });

  test('nothing where it costs nothing and has no node', () => {
    const nowhere = {
      ...POD,
      node: '',
      namespace: '__unmounted__',
      container: '__unmounted__',
      costs: [],
    };
    assert.deepEqual(ask([[nowhere, POD]], PLAIN)['__unmounted__'], {});
  });

  test('the node of a volume that has its name as the node', () => {
    const volumes = [{ name: 'n', cost: 2, adjustment: 0 }];
    const { a = {} } = ask([[{ ...POD, volumes, namespace: 'b' }, POD]], PLAIN);
    assert.deepEqual(a['c,n'], { ...NODE, ...ZEROS, cpuPercentage: 0.5, ramPercentage: 0.5, nodeResourceCostPercentage: 0.5 }); // prettier-ignore
  });
});

test('rows carry nothing of assets where their shares are not requested', () => {
  const { showsAssetShares: _, ...query } = PLAIN;
  const grouped = querySet(engine, TASK, [tableOf([IDLE, POD])], query);
  assert.equal(grouped.frame.has(ASSET_COSTS), false);
  assert.equal('assetTotals' in grouped, false);
  engine.arena.release(TASK);
});

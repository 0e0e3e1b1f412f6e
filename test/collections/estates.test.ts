/** Random collections of random costs, over HTTP: numbers add up in each direction. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { seededRandom } from '../../bench/random.ts';
import type { CostObject } from '../../src/collections/cost.ts';
import { IDLE_WORDS } from '../../src/collections/idle.ts';
import {
  bodyOf,
  collect,
  dayWindow,
  itemsOf,
  rowsOf,
  shareIdle,
  startEstate,
  type EstateDay,
  type EstateItem,
  type EstateRow,
} from '../support/servers/estate.ts';
import type { BundleServer } from '../support/servers/bundle-server.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-estates-'));
after(() => rmSync(home, { recursive: true, force: true }));

const random = seededRandom(11);
const usd = (most: number): number => Math.round(random() * most * 100) / 100;
const DAYS = 2;
const NODES = ['n1', 'n2', 'n3', 'n4'];
const NAMESPACES = ['a', 'b', 'e'];
const SERVICES = ['AmazonEC2', 'AmazonS3', 'AmazonRDS'];

function randomDay(): EstateDay {
  const rows = NODES.flatMap((node): EstateRow[] => [
    ...NAMESPACES.filter(() => random() < 0.7).map((namespace) => ({
      name: `${node === 'n4' ? 'd' : 'c'}/${node}/${namespace}/p/k`,
      usd: usd(20),
      ...(random() < 0.5 ? { volume: { usd: usd(9), id: `aws://eu-1a/vol-${namespace}` } } : {}),
      labels: { team: random() < 0.5 ? 'red' : 'blue' },
    })),
    { name: `${node === 'n4' ? 'd' : 'c'}/${node}/__idle__`, usd: usd(10) },
  ]);
  const nodes = NODES.filter(() => random() < 0.8).flatMap((node): EstateItem[] => [
    { usd: usd(40), resource: `i-${node}` },
    { usd: usd(9), resource: `arn:aws:ec2:eu-1:1:instance/I-${node}`, service: 'AmazonRDS' },
  ]);
  const volumes = NAMESPACES.map((name) => ({ usd: usd(20), resource: `vol-${name}` }));
  const others = SERVICES.map((service) => ({ usd: usd(30), service, resource: `r-${service}` }));
  return { rows, items: [...nodes, ...volumes, ...others, { usd: usd(3), service: 'AmazonS3' }] };
}
const ESTATE = Array.from({ length: DAYS }, randomDay);

const RESOURCES = [...NODES.map((node) => `i-${node}`), ...NAMESPACES.map((name) => `vol-${name}`)];

/** All costs: each resource of a day by itself, straight from the definition. */
function estateUsd(): number {
  return ESTATE.reduce((total, { rows, items }) => {
    const billed = (resource: string | undefined): number =>
      sum(
        items
          .filter(
            (item) =>
              RESOURCES.find((each) => item.resource?.toLowerCase().endsWith(each)) === resource,
          )
          .map((item) => item.usd),
      );
    const kubernetesUsd = (resource: string): number =>
      sum(rows.map(({ name, usd: own, volume }) => {
        const onNode = resource === `i-${name.split('/')[1]}` ? own : 0;
        return onNode + (volume?.id.endsWith(resource) ? volume.usd : 0);
      })); // prettier-ignore
    const each = RESOURCES.map((resource) => Math.max(kubernetesUsd(resource), billed(resource)));
    return total + sum(each) + billed(undefined);
  }, 0);
}

let server: BundleServer;
let empty = '';
before(async () => {
  server = await startEstate(home, ESTATE);
  empty = await collect(server, { name: 'empty' });
});
after(() => server.stop());

interface Answer {
  readonly data: {
    readonly cost: CostObject;
    readonly overlap?: number;
    readonly items?: readonly { readonly cost: number; readonly name: string }[];
    readonly collections?: readonly { readonly cost: CostObject }[];
    readonly groups?: readonly { readonly cost: CostObject }[];
    readonly timeseries?: readonly { readonly cost: CostObject }[];
  };
}

async function ask(path: string, query: string): Promise<Answer['data']> {
  const url = `/model/collections/query/${path}?window=${dayWindow(0, DAYS)}&${query}`;
  return (await bodyOf<{ data: Answer['data'] }>(server, url)).data;
}

function near(actual: number | undefined, expected: number, what: string): void {
  const error = Math.abs((actual ?? NaN) - expected);
  assert.ok(error <= 1e-9 * (1 + Math.abs(expected)), `${what}: ${actual}, not ${expected}`);
}

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);
const totals = (costs: readonly { readonly cost: CostObject }[] = []): number =>
  sum(costs.map(({ cost }) => cost.totalCost));

const some = (field: string, ...values: string[]): fc.Arbitrary<string> =>
  fc
    .record({ not: fc.boolean(), of: fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 }) })
    .map(({ not, of }) => `${field}${not ? '!' : ''}:${of.map((each) => `"${each}"`).join(',')}`);
const anyRows = fc
  .oneof(
    some('namespace', ...NAMESPACES),
    some('node', ...NODES),
    some('label[team]', 'red'),
    some('cluster', 'c', 'd'),
    fc.constant(''),
  ) // prettier-ignore
  .map(rowsOf);
const anyItems = fc
  .oneof(
    some('service', ...SERVICES),
    some('providerID', 'i-n1', 'i-n4', 'vol-a', 'vol-b', 'r-AmazonS3'),
    fc.constant(''),
  ) // prettier-ignore
  .map(itemsOf);
const groups = fc.array(fc.oneof(anyRows, anyItems), { maxLength: 3 });
let categories = 0;

/** The same settings as parameters of the allocation query. */
const SHARED = {
  hide: 'idle=true',
  shareByCluster: 'shareIdle=true',
  shareByNode: 'shareIdle=true&idleByNode=true',
} as const;

for (const idle of IDLE_WORDS) {
  describe(`where idle is set to ${idle}`, () => {
    before(() => shareIdle(server, idle));

    test('all costs are outside of an empty collection, each dollar once', async () => {
      const { cost } = await ask('complement', `id=${empty}`);
      near(cost.totalCost, estateUsd(), 'the estate');
      const idleUsd = sum(
        ESTATE.flatMap(({ rows }) => rows)
          .filter(({ name }) => name.endsWith('__idle__'))
          .map((row) => row.usd),
      );
      near(cost.idleCost, idleUsd, 'idle');
    });

    const byNode = '&splitIdle=true&idleByNode=true';
    const filters = ['&filter=namespace:a', '&filter=node:n1', '&filter=namespace!:a%2Bnode!:n2'];
    // Where idle is shared, the setting says of what the rows bear it.
    const ways = idle === 'hide' ? ['', '&splitIdle=true', byNode, '&idleByNode=true'] : [''];
    const filtered = filters.flatMap((filter) => ways.map((way) => `${filter}${way}`));
    const hidden = idle === 'hide' ? [byNode] : [];
    for (const more of ['', '&splitIdle=true', ...hidden, ...filtered])
      test(`the rows outside of it are those of the allocation query with '${more}'`, async () => {
        const query = `aggregate=namespace${more}`;
        const { items, cost } = await ask('complement/kubernetes', `id=${empty}&${query}`);
        const { data } = await bodyOf<{ data: readonly Record<string, { totalCost: number }>[] }>(
          server,
          `/model/allocation?window=${dayWindow(0, DAYS)}&accumulate=true&${query}&${SHARED[idle]}`,
        );
        const rows = Object.entries(data[0] ?? {}).filter(([, { totalCost }]) => totalCost !== 0);
        assert.equal(items?.length, rows.length);
        for (const [name, { totalCost }] of rows) {
          near(items.find((item) => item.name === name)?.cost, totalCost, name);
        }
        const idles = rows.filter(([name]) => name.endsWith('__idle__'));
        const idleUsd = sum(idles.map(([, { totalCost }]) => totalCost));
        if (idle === 'hide') near(cost.idleCost, idleUsd, 'idle');
      });

    test('a collection and its complement add up to all costs', async () => {
      await fc.assert(
        fc.asyncProperty(groups, some('namespace', ...NAMESPACES), async (of, filter) => {
          const id = await collect(server, { name: `own ${categories++}`, groups: of });
          const estate = await ask('complement', `id=${empty}`);
          const whole = await ask('total', `id=${id}&groups=true`);
          const rest = await ask('complement', `id=${id}`);
          near(whole.cost.totalCost + rest.cost.totalCost, estate.cost.totalCost, 'both');
          const idles = sum([whole, rest].map((each) => each.cost.idleCost ?? 0));
          // A bill that is collected without its rows includes idle.
          if (of.every((group) => !('cloud' in group.selectors))) {
            near(idles, estate.cost.idleCost ?? 0, 'idle of both');
          }
          near(totals(whole.groups) + (whole.overlap ?? NaN), whole.cost.totalCost, 'groups');
          assert.ok((whole.overlap ?? NaN) <= 1e-9, `${whole.overlap} is not above 0`);
          const rows = await ask(
            'complement/kubernetes',
            `id=${id}&aggregate=namespace,pod&splitIdle=true`,
          );
          const items = await ask('complement/cloud', `id=${id}&aggregate=service`);
          near(rows.cost.totalCost + items.cost.totalCost, rest.cost.totalCost, 'domains');
          for (const one of [rows, items]) {
            near(sum(one.items?.map(({ cost }) => cost) ?? []), one.cost.totalCost, 'items');
            assert.ok(
              one.items?.every(({ cost }) => cost > -1e-9),
              'no item is below 0',
            );
          }
          const isNegated = filter.includes('!');
          const opposite = isNegated ? filter.replace('!', '') : filter.replace(':', '!:');
          const [inside, outside] = await Promise.all(
            [filter, opposite].map((each) =>
              ask('complement/kubernetes', `id=${id}&filter=${encodeURIComponent(each)}`),
            ),
          );
          const parts = sum([inside, outside].map((each) => each?.cost.totalCost ?? NaN));
          near(parts, rows.cost.totalCost, 'a filter and its complement');
        }),
        { numRuns: 8 },
      );
    });

    test('collections of a category and their overlap add up to its total, as days do', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(groups, { minLength: 1, maxLength: 3 }), async (all) => {
          const category = `category ${categories++}`;
          for (const [i, of] of all.entries()) {
            await collect(server, { name: String(i), category, groups: of });
          }
          const query = `category=${encodeURIComponent(category)}&collections=true`;
          const whole = await ask('total', query);
          const { overlap = NaN } = whole;
          near(totals(whole.collections) + overlap, whole.cost.totalCost, 'collections');
          assert.ok(overlap <= 1e-9, `${overlap} is not above 0`);
          const { timeseries } = await ask('timeseries', query);
          assert.equal(timeseries?.length, DAYS);
          near(totals(timeseries), whole.cost.totalCost, 'days');
        }),
        { numRuns: 8 },
      );
    });
  });
}

/** Costs that are to be shared where nobody is there to bear them, over real sockets. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { StoredRow } from '../../support/stores/columns-folder.ts';
import { rowSet } from '../../support/stores/columns-folder.ts';
import { startStoredServers, type StoredServer, type StoredServers } from '../../support/servers/stored-server.ts'; // prettier-ignore
import { DAY_MS, dayKey, FIRST_MS } from '../../support/stores/stored-sets.ts';

const rowOf = (container: string, namespace: string, usd: number): StoredRow => ({
  texts: { cluster: 'c', node: 'n', namespace, pod: 'p', container },
  labels: { app: namespace },
  numbers: { cpuCost: usd },
});
const A = rowOf('main', 'a', 3);
const B = rowOf('main', 'b', 5);
const IDLE = rowOf('__idle__', '', 7);
const UNMOUNTED = rowOf('__unmounted__', 'a', 11);

/** Rows of each day; null: it is not stored. */
const DAYS: readonly (readonly StoredRow[] | null)[] = [
  [A, B, IDLE, UNMOUNTED],
  [],
  [IDLE],
  null,
  [UNMOUNTED],
  [A, IDLE],
  [B],
];
/** Today, of which a quarter is over. */
const NOW_MS = FIRST_MS + 7.25 * DAY_MS;

let servers: StoredServers;
let server: StoredServer;
before(async () => {
  servers = await startStoredServers();
  const days = DAYS.flatMap((rows, day) => (rows ? [rowSet(dayKey(day), rows)] : []));
  server = await servers.start('UTC', await Promise.all(days));
  server.nowMs = NOW_MS;
});
after(async () => {
  await server.stop();
  await servers.stop();
  assert.deepEqual(servers.failures, []);
});

interface Row {
  readonly totalCost: number;
}
interface Told {
  readonly usd: number;
  readonly warnings: readonly string[];
}

const windowOf = (from: number, until: number): string =>
  [from, until].map((day) => new Date(FIRST_MS + day * DAY_MS).toISOString()).join();

/** Warnings without those of days that are not stored. */
async function told(from: number, until: number, query: string): Promise<Told> {
  const reply = await fetch(`${server.url}/allocation?window=${windowOf(from, until)}&${query}`);
  const text = await reply.text();
  assert.equal(reply.status, 200, text);
  const { data, warnings = [] } = JSON.parse(text) as {
    readonly data: readonly Readonly<Record<string, Row>>[];
    readonly warnings?: readonly string[];
  };
  const rows = data.flatMap((set) => Object.values(set));
  return {
    usd: rows.reduce((sum, { totalCost }) => sum + totalCost, 0),
    warnings: warnings.filter((each) => !/is not stored|in the future/.test(each)),
  };
}

const nobody = (usd: string): string =>
  `$${usd} of shareCost is charged to no row: there is no workload to bear it`;
const leftOut = (usd: string): string =>
  `$${usd} of shareCost is charged only to rows that the filter leaves out`;
const NO_BEARER =
  'no workload is there to bear the costs of shared namespaces or labels: they stay where they are';

const A_DAY = 'shareCost=30.42';
const CASES: readonly (readonly [
  name: string, days: readonly [number, number], query: string, warnings: readonly string[],
])[] = [
  ['workloads bear it', [0, 1], A_DAY, []],
  ['a day is empty', [1, 2], A_DAY, [nobody('1')]],
  ['there is only idle', [2, 3], A_DAY, [nobody('1')]],
  ['only idle, which is shared', [2, 3], `${A_DAY}&shareIdle=true`, [nobody('1')]],
  ['a day is not stored', [3, 4], A_DAY, [nobody('1')]],
  ['there are only volumes that nobody mounts', [4, 5], A_DAY, [nobody('1')]],
  ['today is not stored', [7, 8], A_DAY, [nobody('0.25')]],
  ['the day is to come', [9, 10], A_DAY, []],
  ['some of many days have nobody', [0, 7], A_DAY, [nobody('4')]],
  ['all of these days are one set', [0, 7], `${A_DAY}&accumulate=true`, [nobody('4')]],
  ['it is an odd amount', [1, 2], 'shareCost=10', [nobody('0.328731097962')]],
  ['everything is filtered out', [0, 1], `${A_DAY}&filter=namespace:"x"`, [leftOut('1')]],
  ['a part is filtered out', [0, 1], `${A_DAY}&filter=namespace:"a"`, []],
  ['it is filtered out on some days', [5, 7], `${A_DAY}&filter=namespace:"a"`, []],
  ['all is filtered out, and nobody was there', [4, 7], `${A_DAY}&filter=namespace:"x"`, [leftOut('2'), nobody('1')]],
  ['only a shared namespace is not filtered out', [0, 1], `${A_DAY}&shareNamespaces=a&filter=namespace:"a"`, [leftOut('1')]],
  ['others bear a shared namespace', [0, 1], 'shareNamespaces=a', []],
  ['all namespaces are shared', [0, 1], 'shareNamespaces=a,b', [NO_BEARER]],
  ['all labels are shared', [0, 1], 'shareLabels=app:a,app:b', [NO_BEARER]],
  ['all are shared on some days', [5, 7], 'shareNamespaces=a', [NO_BEARER]],
  ['only volumes are shared that nobody mounts', [4, 5], 'shareNamespaces=a', [NO_BEARER]],
  ['nothing is there of what is shared', [1, 3], 'shareNamespaces=a', []],
  ['all are shared, and bear it all the same', [0, 1], `${A_DAY}&shareNamespaces=a,b`, [NO_BEARER]],
]; // prettier-ignore

describe('what is shared, where', () => {
  for (const [name, [from, until], query, expected] of CASES)
    test(name, async () => {
      const first = await told(from, until, query);
      assert.deepEqual(first.warnings, expected);
      // Other answers come from a cache.
      assert.deepEqual(await told(from, until, query), first);
      const window = windowOf(from, until);
      for (const path of [
        'allocation?format=csv',
        'allocation?format=ndjson',
        'allocation?format=arrow',
        'allocation/summary?format=csv',
      ]) {
        // prettier-ignore
        for (let i = 0; i < 2; i++) {
          const reply = await fetch(`${server.url}/${path}&window=${window}&${query}`);
          await reply.arrayBuffer();
          const text = reply.headers.get('x-prorata-warnings') ?? '';
          for (const warning of expected) assert.ok(text.includes(warning), `${path}: ${text}`);
          assert.equal(/shareCost|to bear/.test(text), expected.length > 0, `${path}: ${text}`);
        }
      }
    });
});

test('rows have all costs and all of shareCost but what a warning says that no row has', async () => {
  const day = fc.integer({ min: 0, max: DAYS.length - 1 });
  const query = fc.record({
    usd: fc.constantFrom(0, 30.42, 10, 1234.5),
    shareNamespaces: fc.constantFrom('', 'a', 'b', 'a,b'),
    shareSplit: fc.constantFrom('even', 'weighted'),
    shareIdle: fc.boolean(),
    accumulate: fc.boolean(),
  });
  const property = fc.asyncProperty(day, day, query, async (one, other, { usd, ...asked }) => {
    const [from, until] = [Math.min(one, other), 1 + Math.max(one, other)];
    const parameters = Object.entries(asked).map(([name, value]) => `${name}=${String(value)}`);
    const answer = await told(from, until, [`shareCost=${usd}`, ...parameters].join('&'));
    const rows = DAYS.slice(from, until).flatMap((each) => each ?? []);
    const own = rows.reduce((sum, { numbers }) => sum + (numbers?.['cpuCost'] ?? 0), 0);
    const missing = answer.warnings.map((text) => Number(/^\$(\S+) of/.exec(text)?.[1] ?? 0));
    const all = own + (usd / 30.42) * (until - from);
    const found = answer.usd + missing.reduce((sum, each) => sum + each, 0);
    assert.ok(Math.abs(found - all) <= 1e-9 * (1 + all), `${found}, not ${all}`);
  });
  await fc.assert(property, { numRuns: 150 });
});

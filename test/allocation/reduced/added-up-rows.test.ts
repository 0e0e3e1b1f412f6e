/** Questions that ClickHouse adds rows up for are answered to the byte as from rows in memory. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { MEASURES } from '../../../src/allocation/row/schema.ts';
import {
  ClickHouseSets,
  openClickHouseSets,
} from '../../../src/storage/clickhouse/clickhouse-sets.ts';
import type { EncodedSet } from '../../../src/storage/index.ts';
import { startStoredServers, type StoredServers } from '../../support/servers/stored-server.ts';
import {
  CLICKHOUSE_MISSING,
  startClickHouse,
  type ClickHouseServer,
} from '../../support/stores/clickhouse.ts';
import {
  DAY_MS,
  dayKey,
  encoded,
  FIRST_MS,
  type Columns,
} from '../../support/stores/stored-sets.ts';

const WINDOW = `window=${new Date(FIRST_MS).toISOString()},${new Date(FIRST_MS + 2 * DAY_MS).toISOString()}`;

/** Questions that rows added up answer. */
const ADDED_UP: readonly string[] = [
  'aggregate=namespace',
  'aggregate=namespace&accumulate=true',
  'aggregate=controller&format=csv',
  'aggregate=controller&format=arrow',
  'aggregate=cluster,controller&format=arrow&accumulate=true',
  'aggregate=cluster,namespace,controllerKind&splitIdle=true&sortBy=cpuCost&limit=3',
  'aggregate=node&idleByNode=true&splitIdle=true',
  'aggregate=namespace&idleByNode=true&splitIdle=true&format=csv',
  'aggregate=deployment',
  'aggregate=service&format=arrow',
  'aggregate=label:app&accumulate=true',
  'aggregate=label:app,namespace&format=arrow',
  'aggregate=team',
  'aggregate=container&idle=false',
  'aggregate=all&format=csv&columns=full',
  'aggregate=controller&idle=false&filter=namespace:"shop"',
  'aggregate=cluster,controller&idle=false&format=arrow&filter=node:"n1"',
  'aggregate=namespace&idle=false&filter=namespace!:"shop"%2BcontrollerKind:"deployment"',
  'aggregate=namespace&idle=false&filter=namespace:"__unallocated__","Shop"',
  'aggregate=controller&idle=false&filter=label[app]:"web"',
  'aggregate=namespace&idle=false&filter=node:"n1"|namespace~:"sh"',
];
/** Questions whose sets were grouped for one before. */
const SAME_GROUPS = ['aggregate=namespace&accumulate=true', 'aggregate=controller&format=arrow'];
/** What the filter leaves of idle is nothing in days without idle. */
const OF_NO_IDLE = 'aggregate=namespace&filter=namespace:"shop"';
/** Others: idle is shared or filtered by row. */
const OF_ROWS: readonly string[] = [
  'aggregate=controller&shareIdle=true',
  'aggregate=namespace&shareNamespaces=shop',
  'accumulate=true',
];

const SUMS = MEASURES.filter(({ fold }) => fold === 'sum').map(({ column }) => column);
const usd = fc
  .tuple(fc.maxSafeInteger(), fc.integer({ min: -70, max: -45 }))
  .map(([n, power]) => n * 2 ** power);
const texts = {
  cluster: fc.constantFrom('one', 'two'),
  node: fc.constantFrom('n1', 'n2', ''),
  namespace: fc.constantFrom('shop', 'Shop', 'ci', ''),
  controllerKind: fc.constantFrom('deployment', 'statefulset', ''),
  controller: fc.constantFrom('web', 'db', 'api', ''),
  pod: fc.constantFrom('web-1', 'web-2', 'db-0', 'api-7'),
  container: fc.constantFrom('main', 'sidecar', 'main', 'sidecar', '__idle__', '__unmounted__'),
  providerID: fc.constantFrom('aws:///1', 'aws:///2', ''),
  instanceType: fc.constantFrom('m5.large', ''),
  labels: fc.constantFrom('', '{"app":"web"}', '{"app":"web","team":"a"}', '{"tier":"x"}'),
  annotations: fc.constantFrom('', '{"team":"b"}'),
  services: fc.constantFrom('', '["web"]', '["api","web"]'),
  priceSource: fc.constantFrom('', 'list', 'csv'),
  endSource: fc.constantFrom('running', 'completionTime', 'lastSample', 'phase'),
  pvs: fc.constantFrom('', '', '', '{"one/pv-1":{"byteHours":3,"cost":0.1}}'),
};
const row = fc.record({
  ...texts,
  numbers: fc.array(usd, { minLength: 4, maxLength: 4 }),
  fromMs: fc.integer({ min: 0, max: DAY_MS / 2 }),
});

type Row = typeof row extends fc.Arbitrary<infer Value> ? Value : never;

function hasNoIdle(rows: readonly Row[]): boolean {
  return rows.every(({ container }) => container !== '__idle__');
}

function columnsOf(rows: readonly Row[], day: number): Columns {
  const idle = ['node', 'cluster'];
  const text = (name: keyof typeof texts): string[] =>
    rows.map((each) => {
      if (each.container !== '__idle__' || idle.includes(name) || name === 'container')
        return each[name];
      return '';
    });
  const numbers = Object.fromEntries(
    SUMS.slice(0, 30).map((name, i) => [
      name,
      rows.map((each) => (each.numbers[i % 4] ?? 0) * (1 + i / 7)),
    ]),
  );
  return {
    ...Object.fromEntries(
      Object.keys(texts).map((name) => [name, text(name as keyof typeof texts)]),
    ),
    ...numbers,
    startMs: rows.map(({ fromMs }) => dayKey(day).startMs + fromMs),
    endMs: rows.map(() => dayKey(day).endMs),
    endUncertaintyMs: rows.map(({ fromMs }) => fromMs % 1000),
  };
}

describe('rows added up by ClickHouse', { skip: CLICKHOUSE_MISSING }, () => {
  let clickHouse: ClickHouseServer;
  let servers: StoredServers;
  before(async () => {
    [clickHouse, servers] = await Promise.all([startClickHouse(), startStoredServers()]);
  });
  after(async () => {
    assert.deepEqual(servers.failures, []);
    await servers.stop();
    await clickHouse.stop();
  });

  let databases = 0;
  const over = async (
    sets: readonly EncodedSet[],
    ask: (
      bodies: (query: string) => Promise<readonly Buffer[]>,
      stored: ClickHouseSets,
      database: string,
    ) => Promise<void>,
    notes: string[] = [],
  ): Promise<readonly string[]> => {
    const opened: ClickHouseSets[] = [];
    const database = `added_up_${process.pid}_${databases++}`;
    const place = { origin: clickHouse.origin, user: 'default', password: '', isPacked: false };
    const elsewhere = await servers.startOver('UTC', async ({ arena, pool }) => {
      const stored = await openClickHouseSets({
        ...place,
        database,
        arena,
        cacheBytes: 64 << 20,
        fromWorkers: pool.onMessage.bind(pool),
        note: (sentence) => void notes.push(sentence),
        push: 'always',
      });
      await stored.write(sets);
      opened.push(stored);
      return stored;
    });
    const here = await servers.start('UTC', sets);
    here.nowMs = elsewhere.nowMs = FIRST_MS + 3 * DAY_MS;
    const [stored] = opened;
    assert.ok(stored);
    const bodies = (query: string): Promise<Buffer[]> =>
      Promise.all(
        [here, elsewhere].map(async ({ url }) => {
          const answer = await fetch(`${url}/model/allocation?${WINDOW}&${query}`);
          const body = Buffer.from(await answer.arrayBuffer());
          assert.equal(answer.status, 200, body.toString());
          return body;
        }),
      );
    await ask(bodies, stored, database);
    await elsewhere.stop();
    await here.stop();
    return notes;
  };

  test('any days answer all questions to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(
          fc.array(row, { minLength: 1, maxLength: 40 }),
          fc.array(
            fc.oneof(
              row,
              row.map((each) => ({ ...each, container: 'main' as const })),
            ),
            { minLength: 1, maxLength: 3 },
          ),
        ),
        async (days) => {
          const sets = await Promise.all(
            days.map((rows, day) => encoded(dayKey(day), columnsOf(rows, day))),
          );
          const notes = await over(sets, async (bodies, stored) => {
            for (const query of [...ADDED_UP, OF_NO_IDLE, ...OF_ROWS]) {
              const before = stored.state.addedUp;
              const [expected, found] = await bodies(query);
              if (expected?.equals(found ?? Buffer.alloc(0)) !== true)
                assert.equal(found?.toString(), expected?.toString(), query);
              const more = stored.state.addedUp - before;
              if (OF_ROWS.includes(query)) assert.equal(more, 0, query);
              else if (query === OF_NO_IDLE) assert.equal(more, days.filter(hasNoIdle).length);
              else if (!SAME_GROUPS.includes(query)) assert.equal(more, days.length, query);
            }
          });
          assert.deepEqual(notes, []);
        },
      ),
      {
        numRuns: Number(process.env['ADDED_UP_RUNS'] ?? 1),
        endOnFailure: true,
        includeErrorInReport: true,
      },
    );
  });

  test('a number that somebody changed is told as damage, and is in no sum', async () => {
    const rows = fc.sample(row, { numRuns: 9, seed: 3 });
    const notes: string[] = [];
    const sets = [await encoded(dayKey(0), columnsOf(rows, 0))];
    await over(
      sets,
      async (bodies, stored, database) => {
        const table = `${database}.allocations_rows`;
        await clickHouse.ask(`ALTER TABLE ${table} UPDATE cpuCost = cpuCost + 1 WHERE setRow = 2`);
        const left = 'SELECT count() FROM system.mutations WHERE is_done = 0';
        while ((await clickHouse.ask(left)).trim() !== '0') await sleep(5);
        const [, found] = await bodies('aggregate=namespace');
        assert.equal(stored.state.addedUp, 1);
        assert.match(found?.toString() ?? '', /column cpuCost has not the bytes written/);
        assert.match(found?.toString() ?? '', /"data":\[\{\},\{\}\]/);
        assert.match(notes.join(), /damaged/);
      },
      notes,
    );
  });
});

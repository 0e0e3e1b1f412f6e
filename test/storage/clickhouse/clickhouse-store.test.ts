/** Sets in a real ClickHouse: whole or not at all, whatever call is the last, and rows for anybody's SQL. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Unavailable } from '../../../src/query/index.ts';
import { DamagedSet, type EncodedSet } from '../../../src/storage/index.ts';
import type { ClickHouseStore } from '../../../src/storage/clickhouse/clickhouse-store.ts';
import { rebuilt } from '../../../src/storage/clickhouse/rebuilt.ts';
import { CLICKHOUSE_MISSING, PASSWORD, USER } from '../../support/stores/clickhouse.ts';
import { clickHouseWorld } from '../../support/stores/clickhouse-world.ts';
import { dayKey, encoded, type Columns } from '../../support/stores/stored-sets.ts';

const COLUMNS: Columns = {
  pod: ['a', 'b', '', 'a', 'ü'],
  cluster: ['eu', 'eu', 'eu', 'eu', 'eu'],
  nothing: ['', '', '', '', ''],
  cpuCost: [0.1, 2, -3.5, 0, 1e300],
  minutes: [1440, 1440, 1440, 1440, 1440],
  restarts: [0, 1, 2, 70_000, 3],
  sketch: ['', 'a', '\xff\0', '', 'abc'].map((row) => Buffer.from(row, 'latin1')),
};

describe('sets in ClickHouse', { skip: CLICKHOUSE_MISSING }, () => {
  const { server, newDatabase, open, load, rowsIn } = clickHouseWorld();

  test('a set comes back to the byte', async () => {
    for (const isPacked of [false, true]) {
      const store = await open({ isPacked });
      const set = await encoded(dayKey(0), COLUMNS);
      await store.write([set]);
      assert.deepEqual(await load(store, 0), Buffer.from(set.bytes));
      await store.close();
    }
  });

  test('any set comes back to the byte', async () => {
    const store = await open();
    const row = fc.record({
      pod: fc.string({ unit: 'grapheme', maxLength: 8 }),
      namespace: fc.constantFrom('', 'web', 'ci'),
      cpuCost: fc.double(),
      count: fc.integer({ min: -5, max: 300 }),
      sketch: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1 }), async (rows) => {
        const columns: Columns = {
          pod: rows.map(({ pod }) => pod),
          namespace: rows.map(({ namespace }) => namespace),
          cpuCost: rows.map(({ cpuCost }) => cpuCost),
          count: rows.map(({ count }) => count),
          sketch: rows.map(({ sketch }) => sketch),
        };
        const set = await encoded(dayKey(0), columns);
        await store.write([set]);
        assert.deepEqual(await load(store, 0), Buffer.from(set.bytes));
      }),
      { numRuns: 12 },
    );
    await store.close();
  });

  test('a set of more rows than a block comes back to the byte, also once parts are merged', async () => {
    const database = newDatabase();
    const store = await open({ database });
    const rows = 150_000;
    const pod = Array.from({ length: rows }, (_, i) => `pod-${(i * 7919) % 70_001}`);
    const cpuCost = pod.map((_, i) => i / 3);
    const set = await encoded(dayKey(0), { pod, cpuCost, count: cpuCost.map((_, i) => i % 7) });
    await store.write([set]);
    await server().ask(`OPTIMIZE TABLE \`${database}\`.allocations_rows FINAL`);
    assert.ok((await load(store, 0))?.equals(set.bytes), 'the same bytes');
    await store.close();
  });

  test('sets are listed by another process, which sees changes, with those of no rows', async () => {
    const database = newDatabase();
    const store = await open({ database });
    await store.write([
      await encoded(dayKey(1), { cpuCost: [0, 0, 0] }),
      await encoded(dayKey(0), {}),
      await encoded(dayKey(0, 'assets'), COLUMNS),
    ]);
    const other = await open({ database });
    assert.deepEqual(other.kinds().toSorted(), ['allocations', 'assets']);
    const told = other.list('allocations').map(({ key, rows }) => [key.startMs, rows]);
    assert.deepEqual(told, [
      [dayKey(0).startMs, 0],
      [dayKey(1).startMs, 3],
    ]);
    const { version } = other;
    await store.remove([dayKey(0), dayKey(7)]);
    await other.verify();
    assert.notEqual(other.version, version);
    assert.equal(other.list('allocations').length, 1);
    assert.deepEqual((await other.verify()).damages, []);
    for (const each of [store, other]) await each.close();
  });

  test('people see the rows that count, by the names of columns, and no others', async () => {
    const database = newDatabase();
    const store = await open({ database });
    await store.write([await encoded(dayKey(0), { cpuCost: [1, 2], pod: ['a', 'b'] })]);
    await store.write([await encoded(dayKey(1), { cpuCost: [5, 6], pod: ['a', ''] })]);
    await store.write([
      await encoded(dayKey(0), { cpuCost: [3, 4], pod: ['a', 'b'], zone: ['x', 'x'] }),
    ]);
    const sql = `SELECT pod, sum(cpuCost), any(zone) FROM \`${database}\`.allocations
      WHERE windowStart < toDateTime('2024-05-02 00:00:00', 'UTC') GROUP BY pod ORDER BY pod`;
    assert.equal(await server().ask(sql), 'a\t3\tx\nb\t4\tx\n');
    await store.remove([dayKey(0)]);
    assert.equal(await rowsIn(database, 'allocations'), 2);
    assert.equal(await rowsIn(database, 'allocations_rows'), 6);
    await store.close();
  });

  test('the later of two changes counts for all, also where a clock is a day ahead', async () => {
    const database = newDatabase();
    const ahead = await open({ database, nowMs: () => Date.now() + 86_400_000 });
    const behind = await open({ database, nowMs: () => Date.now() - 86_400_000 });
    const one = (cost: number): Promise<EncodedSet> => encoded(dayKey(0), { cpuCost: [cost, 1] });
    for (const [store, cost] of [
      [ahead, 3],
      [behind, 4],
      [ahead, 5],
      [behind, 6],
    ] as const) {
      await store.write([await one(cost)]);
      const sql = `SELECT max(cpuCost) FROM \`${database}\`.allocations`;
      assert.equal(await server().ask(sql), `${cost}\n`);
      for (const each of [ahead, behind]) {
        await each.verify();
        assert.deepEqual(await load(each, 0), Buffer.from((await one(cost)).bytes));
      }
    }
    for (const each of [ahead, behind]) await each.close();
  });

  test('a view that its process did not come to make is made by the next one', async () => {
    const database = newDatabase();
    const store = await open({ database });
    await store.write([await encoded(dayKey(0), { cpuCost: [1, 2] })]);
    await server().ask(`DROP TABLE \`${database}\`.allocations`);
    const other = await open({ database });
    await other.write([await encoded(dayKey(1), { cpuCost: [3, 4] })]);
    assert.equal(await rowsIn(database, 'allocations'), 4);
    for (const each of [store, other]) await each.close();
  });

  test('replaced rows stay for readers, and go with the first change after that', async () => {
    const database = newDatabase();
    let nowMs = Date.now();
    const store = await open({ database, nowMs: () => nowMs, graceMs: 1000 });
    const two = (cost: number): Promise<EncodedSet> => encoded(dayKey(0), { cpuCost: [cost, 0] });
    await store.write([await two(1)]);
    const replaced = store.find(dayKey(0));
    await store.write([await two(2)]);
    assert.ok(replaced && (await rebuilt(store.server, replaced)).length > 0, 'it can be read');
    nowMs += 1500;
    await store.write([await two(3)]);
    assert.equal(await rowsIn(database, 'allocations_rows'), 4);
    await assert.rejects(rebuilt(store.server, replaced), /its frame is missing/);
    await store.close();
  });

  const set = (day: number, cost: number): Promise<EncodedSet> =>
    encoded(dayKey(day), { cpuCost: [cost, 0.5], pod: [`pod-${cost}`, 'other'] });
  const stateOf = async (store: ClickHouseStore): Promise<string> => {
    const days: string[] = [];
    for (const { key, rows } of store.list('allocations')) {
      const day = (key.startMs - dayKey(0).startMs) / 86_400_000;
      const bytes = await load(store, day);
      days.push(`${day}:${bytes?.includes(`pod-${day + 1}`) ? 'old' : 'new'}/${rows}`);
    }
    return days.join(' ');
  };

  test('rows that are gone, doubled or changed are damage, which is told until the set is written again', async () => {
    const database = newDatabase();
    const notes: string[] = [];
    const store = await open({ database, notes });
    const rows = `\`${database}\`.allocations_rows`;
    const damages: readonly (readonly [string, RegExp])[] = [
      [
        `INSERT INTO ${rows} SELECT * FROM ${rows} WHERE setRow = 1 AND setVersion = VERSION`,
        /6 of its 5 rows|more than its/,
      ],
      [`ALTER TABLE ${rows} DROP PARTITION ID 'ID'`, /0 of its 5 rows/],
      [
        `ALTER TABLE \`${database}\`.prorata_pieces DROP PARTITION ID 'VERSION'`,
        /frame is missing/,
      ],
    ];
    for (const [damage, reason] of damages) {
      await store.write([
        await encoded(dayKey(0), COLUMNS),
        await encoded(dayKey(1), { cpuCost: [1, 2] }),
      ]);
      const version = store.find(dayKey(0))?.version ?? 0;
      const id = `'${dayKey(0).startMs / 1000}-${version}'`;
      await server().ask(damage.replace("'ID'", id).replace('VERSION', `${version}`));
      const report = await store.verify();
      assert.equal(report.damages.length, 1, damage);
      assert.match(report.damages[0]?.reason ?? '', reason);
      const name = `allocations-20240501T000000000Z-20240502T000000000Z-${version}-0.arrow`;
      const looking = await open({ database, isReadOnly: true });
      await looking.setAside(dayKey(0), name);
      await looking.close();
      await store.verify();
      assert.ok(store.find(dayKey(0)), 'who only looks changes nothing');
      await store.setAside(dayKey(0), name);
      assert.throws(() => store.find(dayKey(0)), DamagedSet);
      const other = await open({ database });
      assert.match(other.list('allocations')[0]?.damage ?? '', reason);
      await other.close();
    }
    assert.equal(notes.length, 3);
    await store.write([await encoded(dayKey(0), COLUMNS)]);
    assert.deepEqual((await store.verify()).damages, []);
    await store.close();
  });

  test('a wrong password, a server that is away and a later schema are told, and no secret', async () => {
    const database = newDatabase();
    await (await open({ database, user: USER, password: PASSWORD })).close();
    const wrong = open({ database, user: USER, password: 'hunter2' });
    await assert.rejects(wrong, (error) => {
      assert.ok(error instanceof Unavailable);
      assert.match(`${error.message} ${error.hint}`, /code (193|516).*STORE_PASSWORD/);
      assert.doesNotMatch(`${error.stack} ${error.hint}`, /hunter2|aHVudGVyMg/);
      return true;
    });
    const away = open({ origin: 'http://127.0.0.1:9' });
    await assert.rejects(
      away,
      /cannot look at the database: http:\/\/127\.0\.0\.1:9 does not answer/,
    );
    await server().ask(`INSERT INTO \`${database}\`.prorata_schema VALUES (2)`);
    await assert.rejects(open({ database }), /written by a later version: its schema is 2, not 1/);
  });

  test('a user who may only read opens a store that is there, and changes nothing', async () => {
    const database = newDatabase();
    const store = await open({ database });
    await store.write([await set(0, 1)]);
    const reader = await open({ database, user: 'reader' });
    assert.equal(await stateOf(reader), '0:old/2');
    await assert.rejects(async () => reader.write([await set(0, 7)]), /code 164/);
    assert.equal(await stateOf(store), '0:old/2');
    for (const each of [store, reader]) await each.close();
  });

  test('who only looks makes no tables, and is told that there are none', async () => {
    const database = newDatabase();
    await assert.rejects(
      open({ database, isReadOnly: true }),
      /^Unavailable: no sets are stored in the database test/,
    );
    const found = `SELECT count() FROM system.databases WHERE name = '${database}'`;
    assert.equal(await server().ask(found), '0\n');
  });
});

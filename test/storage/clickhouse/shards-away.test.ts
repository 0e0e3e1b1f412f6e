/** Stores over the shards of a cluster: where rows lie, shards that are away, and servers that are not the store's. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Unavailable } from '../../../src/query/index.ts';
import { measured } from '../../support/measured.ts';
import { CLICKHOUSE_MISSING, type ClickHouseServer } from '../../support/stores/clickhouse.ts';
import { daysOf, daySet, dyingAt, endAtEachCall } from '../../support/stores/clickhouse-ends.ts';
import { clickHouseWorld } from '../../support/stores/clickhouse-world.ts';
import { dayKey, encoded } from '../../support/stores/stored-sets.ts';

describe('ClickHouse over two shards', { skip: CLICKHOUSE_MISSING }, () => {
  const world = clickHouseWorld(2);
  const { newDatabase, open, rowsIn } = world;
  const shardsOf = (): readonly [ClickHouseServer, ClickHouseServer] => {
    const [first, second] = world.shards();
    assert.ok(first && second);
    return [first, second];
  };
  const rowsOf = async (database: string): Promise<string> => {
    const sql = `SELECT count() FROM \`${database}\`.allocations_rows_shard`;
    const counts = await Promise.all(world.shards().map((shard) => shard.ask(sql)));
    return counts.map((count) => count.trim()).join(' ');
  };

  test('days lie on one shard after the other, people see all of them, and each is dropped where it lies', async () => {
    const database = newDatabase();
    let nowMs = Date.now();
    const store = await open({ database, nowMs: () => nowMs, graceMs: 1000 });
    const days = (cost: number): Promise<Awaited<ReturnType<typeof daySet>>[]> =>
      Promise.all([0, 1, 2, 3].map((day) => daySet(day, cost + day)));
    await store.write(await days(1));
    assert.equal(await rowsOf(database), '4 4');
    const sql = `SELECT sum(cpuCost), count() FROM \`${database}\`.allocations`;
    assert.equal(await world.server().ask(sql), '12\t8\n');
    await store.write(await days(11));
    assert.equal(await rowsOf(database), '8 8');
    assert.equal(await world.server().ask(sql), '52\t8\n');
    nowMs += 1500;
    await store.write([await daySet(4, 1)]);
    assert.equal((await rowsOf(database)).split(' ').toSorted().join(), '4,6');
    await store.remove([0, 1, 2, 3].map((day) => dayKey(day)));
    assert.equal(await rowsIn(database, 'allocations'), 2);
    assert.deepEqual((await store.verify()).damages, []);
    await store.close();
  });

  test('rows of a process that died are dropped from each shard hours later, and no others', async () => {
    const database = newDatabase();
    const early = Date.now() - 7 * 3_600_000;
    const dead = await open({
      database,
      nowMs: () => early,
      fetch: dyingAt('prorata_sets', 'unsent'),
    });
    await assert.rejects(
      async () => dead.write([await daySet(0, 1), await daySet(1, 1)]),
      Unavailable,
    );
    await dead.close();
    assert.equal(await rowsOf(database), '2 2');
    const store = await open({ database });
    await store.write([await daySet(2, 1), await daySet(3, 1)]);
    assert.equal(await rowsOf(database), '2 2');
    assert.equal((await store.verify()).sets, 2);
    await store.close();
  });

  test('P-C1: a process that dies at any call leaves old or new sets on all shards', async (t) => {
    const { deaths, states } = await endAtEachCall(world);
    assert.ok(deaths >= 10 && states.size === 2, `${deaths} deaths`);
    measured(t, 'P-C1', `${deaths} calls of two shards cut`);
  });

  test('while a shard stands still or is dead, changes and questions are refused by its name, and nothing is half', async () => {
    const database = newDatabase();
    const [, second] = shardsOf();
    const store = await open({ database, silenceMs: 400 });
    await store.write([await daySet(0, 1), await daySet(1, 2)]);
    const refused = async (name: RegExp): Promise<void> => {
      const told = (error: unknown): boolean =>
        error instanceof Unavailable && name.test(error.message);
      await assert.rejects(async () => store.write([await daySet(0, 7), await daySet(1, 8)]), told);
      await assert.rejects(world.load(store, 1), told);
      await assert.rejects(world.load(store, 0), told, 'also a set of the other shard');
    };
    process.kill(second.pid, 'SIGSTOP');
    await refused(/127\.0\.0\.2:\d+ does not answer/);
    process.kill(second.pid, 'SIGCONT');
    assert.equal(await daysOf(world, store), '0:old/2 1:old/2');
    await second.kill();
    await refused(/127\.0\.0\.2:\d+ does not answer/);
    await second.start();
    assert.equal(await daysOf(world, store), '0:old/2 1:old/2');
    assert.deepEqual((await store.verify()).damages, []);
    await store.write([await daySet(0, 7), await daySet(1, 8)]);
    assert.equal(await daysOf(world, store), '0:new/2 1:new/2');
    await store.close();
  });

  test('rows that only one shard has are never taken for all, whatever the user permits', async () => {
    const database = newDatabase();
    const [first, second] = shardsOf();
    const store = await open({ database, silenceMs: 400 });
    await store.write([await daySet(0, 1), await daySet(1, 2)]);
    await second.kill();
    const rows = `\`${database}\`.allocations_rows`;
    const some = await first.ask(
      `SELECT count() FROM ${rows} SETTINGS skip_unavailable_shards = 1`,
    );
    assert.equal(some, '2\n', 'the server would tell half');
    await assert.rejects(store.verify(), Unavailable);
    await second.start();
    assert.deepEqual((await store.verify()).damages, []);
    await store.close();
  });

  test('a server that is new in the cluster gets its tables when the store is opened', async () => {
    const database = newDatabase();
    const [, second] = shardsOf();
    const store = await open({ database });
    await store.write([await encoded(dayKey(0), { cpuCost: [1, 2] })]);
    assert.match(await rowsOf(database), /0/);
    await second.ask(`DROP DATABASE \`${database}\``);
    await store.close();
    const other = await open({ database });
    await other.write([await daySet(1, 2), await daySet(2, 3)]);
    assert.equal((await other.verify()).sets, 3);
    await other.close();
  });

  test('another server of the cluster, one without the cluster and a cluster of one are refused', async () => {
    const database = newDatabase();
    const [first, second] = shardsOf();
    const store = await open({ database });
    await store.write([await daySet(0, 1)]);
    const reasons: readonly (readonly [opening: object, message: RegExp])[] = [
      [{ database, origin: second.origin }, /has rows of a store whose manifest is elsewhere/],
      [{ database, cluster: undefined }, /lies over the shards of a cluster/],
      [{ database, cluster: { name: 'tested', isReplicated: true } }, /so many replicas: 1, 1;/],
      [{ database, cluster: { name: 'other', isReplicated: false } }, /knows no cluster other/],
    ];
    for (const [opening, message] of reasons) await assert.rejects(open(opening), message);
    const alone = newDatabase();
    await (await open({ database: alone, cluster: undefined })).close();
    await assert.rejects(open({ database: alone }), /lies on this server alone/);
    const origins = [[first.origin], [second.origin]];
    const named = await open({
      database,
      cluster: { name: 'tested', isReplicated: false, origins },
    });
    assert.equal(await daysOf(world, named), '0:old/2');
    for (const each of [store, named]) await each.close();
  });
});

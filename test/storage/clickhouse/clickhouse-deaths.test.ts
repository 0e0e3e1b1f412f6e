/** Stores in ClickHouse of processes that die, calls that fail, and a server that is killed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Unavailable } from '../../../src/query/index.ts';
import type { ClickHouseStore } from '../../../src/storage/clickhouse/clickhouse-store.ts';
import { measured } from '../../support/measured.ts';
import { CLICKHOUSE_MISSING } from '../../support/stores/clickhouse.ts';
import { daysOf, daySet, dyingAt, endAtEachCall } from '../../support/stores/clickhouse-ends.ts';
import { clickHouseWorld } from '../../support/stores/clickhouse-world.ts';
import { dayKey, encoded } from '../../support/stores/stored-sets.ts';

describe('ClickHouse and what ends', { skip: CLICKHOUSE_MISSING }, () => {
  const world = clickHouseWorld();
  const { server, newDatabase, open, rowsIn } = world;

  const stateOf = (store: ClickHouseStore): Promise<string> => daysOf(world, store);

  test('rows of a process that died are dropped hours later, and no others', async () => {
    const database = newDatabase();
    const early = Date.now() - 7 * 3_600_000;
    const dying = dyingAt('prorata_sets', 'unsent');
    const dead = await open({ database, nowMs: () => early, fetch: dying });
    const columns = { cpuCost: [1, 2] };
    await assert.rejects(async () => dead.write([await encoded(dayKey(3), columns)]), Unavailable);
    await dead.close();
    const old = await open({ database, nowMs: () => early });
    await old.write([await encoded(dayKey(0), columns)]);
    await old.close();
    assert.equal(await rowsIn(database, 'allocations_rows'), 4);
    const store = await open({ database });
    await store.write([await encoded(dayKey(1), columns)]);
    assert.equal(await rowsIn(database, 'allocations_rows'), 4, 'two of the dead one are gone');
    assert.equal((await store.verify()).sets, 2);
    assert.deepEqual((await store.verify()).damages, []);
    await store.close();
  });

  test('P-C1: a process that dies at any call leaves old or new sets, all of a change', async (t) => {
    const { deaths, states } = await endAtEachCall(world);
    assert.ok(deaths >= 14 && states.size === 2, `${deaths} deaths`);
    measured(t, 'P-C1', `${deaths} calls of ClickHouse cut`);
  });

  test('a call that fails once changes nothing, or succeeds when it is tried again', async () => {
    const database = newDatabase();
    let failing = Infinity;
    let sent = 0;
    const flaky: typeof fetch = async (...call) => {
      const response = await fetch(...call);
      if (++sent !== failing) return response;
      await response.body?.cancel();
      throw new TypeError('fetch failed', { cause: new Error('reset by peer') });
    };
    const store = await open({ database, fetch: flaky });
    for (let at = 1; at < 12; at++) {
      [sent, failing] = [0, at];
      await store.write([
        await encoded(dayKey(0), { cpuCost: [at, 1] }),
        await encoded(dayKey(1), { cpuCost: [at, 2] }),
      ]);
      const sql = `SELECT count(), max(cpuCost) FROM \`${database}\`.allocations`;
      assert.equal(
        await server().ask(sql),
        `4\t${Math.max(at, 2)}\n`,
        `call ${at}: no row is there twice`,
      );
    }
    assert.deepEqual((await store.verify()).damages, []);
    await store.close();
  });

  test('sets outlast a server that is killed', async () => {
    const database = newDatabase();
    const store = await open({ database });
    await store.write([await daySet(0, 1), await daySet(1, 2)]);
    await server().kill();
    if (Number.isFinite(server().pid)) await assert.rejects(store.remove([dayKey(0)]), Unavailable);
    await server().start();
    assert.equal(await stateOf(store), '0:old/2 1:old/2');
    await store.close();
  });
});

/** Stores in ClickHouse of processes that die, calls that fail, and a server that is killed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Unavailable } from '../../../src/query/index.ts';
import type { EncodedSet } from '../../../src/storage/index.ts';
import type { ClickHouseStore } from '../../../src/storage/clickhouse/clickhouse-store.ts';
import { measured } from '../../support/measured.ts';
import { CLICKHOUSE_MISSING } from '../../support/stores/clickhouse.ts';
import { clickHouseWorld } from '../../support/stores/clickhouse-world.ts';
import { dayKey, encoded } from '../../support/stores/stored-sets.ts';

describe('ClickHouse and what ends', { skip: CLICKHOUSE_MISSING }, () => {
  const { server, newDatabase, open, load, rowsIn } = clickHouseWorld();

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
    const database = newDatabase();
    const found = await open({ database });
    await found.write([await set(0, 1), await set(1, 2)]);
    const old = '0:old/2 1:old/2';
    const seen = new Set<string>();
    const [first, second] = [await set(0, 7), await set(1, 8)];
    let deaths = 0;
    for (const last of ['unsent', 'unheard'] as const) {
      for (let [calls, isDone] = [0, false]; !isDone; calls++) {
        const dying = dyingOnceOpened(calls, last);
        const store = await open({ database, fetch: dying.fetch, graceMs: 0 });
        dying.begin();
        const write = store.write([first, second]);
        isDone = await write.then(
          () => true,
          () => false,
        );
        await store.close();
        const { damages } = await found.verify();
        const state = await stateOf(found);
        assert.ok([old, '0:new/2 1:new/2'].includes(state), `${calls} calls: ${state}`);
        assert.deepEqual(damages, [], `${calls} calls`);
        seen.add(state);
        if (state !== old) await found.write([await set(0, 1), await set(1, 2)]);
        deaths += isDone ? 0 : 1;
      }
    }
    assert.ok(deaths >= 14 && seen.size === 2, `${deaths} deaths`);
    measured(t, 'P-C1', `${deaths} calls of ClickHouse cut`);
    await found.close();
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
    await store.write([await set(0, 1), await set(1, 2)]);
    await server().kill();
    if (Number.isFinite(server().pid)) await assert.rejects(store.remove([dayKey(0)]), Unavailable);
    await server().start();
    assert.equal(await stateOf(store), '0:old/2 1:old/2');
    await store.close();
  });
});

const GONE = new TypeError('fetch failed', { cause: new Error('the process is dead') });

type Last = 'unsent' | 'unheard';

/** So many calls are answered; the next is the last: it is not sent, or its answer is not heard. */
function dyingAfter(calls: number, last: Last): typeof fetch {
  let sent = 0;
  return async (...call) => {
    if (++sent <= calls) return await fetch(...call);
    if (sent === calls + 1 && last === 'unheard') await (await fetch(...call)).text();
    throw GONE;
  };
}

function dyingOnceOpened(calls: number, last: Last): { fetch: typeof fetch; begin(): void } {
  let send = fetch;
  return { fetch: (...call) => send(...call), begin: () => (send = dyingAfter(calls, last)) };
}

/** Dies at the first insert into the table. */
function dyingAt(table: string, last: Last): typeof fetch {
  let isDead = false;
  return async (...call) => {
    const [url] = call;
    isDead ||= url instanceof URL && (url.searchParams.get('query') ?? '').includes(table);
    return await dyingAfter(isDead ? 0 : 1, last)(...call);
  };
}

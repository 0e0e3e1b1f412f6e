/** Processes that die at a call of ClickHouse, and what their changes leave. */
import assert from 'node:assert/strict';
import type { ClickHouseStore } from '../../../src/storage/clickhouse/clickhouse-store.ts';
import type { EncodedSet } from '../../../src/storage/index.ts';
import type { ClickHouseWorld } from './clickhouse-world.ts';
import { dayKey, encoded } from './stored-sets.ts';

/** The set of a day, which tells its cost. */
export function daySet(day: number, cost: number): Promise<EncodedSet> {
  return encoded(dayKey(day), { cpuCost: [cost, 0.5], pod: [`pod-${cost}`, 'other'] });
}

/** Each day is old where it has the cost of its number and one, else new: `0:old/2 1:new/2`. */
export async function daysOf({ load }: ClickHouseWorld, store: ClickHouseStore): Promise<string> {
  const days: string[] = [];
  for (const { key, rows } of store.list('allocations')) {
    const day = (key.startMs - dayKey(0).startMs) / 86_400_000;
    const bytes = await load(store, day);
    days.push(`${day}:${bytes?.includes(`pod-${day + 1}`) ? 'old' : 'new'}/${rows}`);
  }
  return days.join(' ');
}

/**
 * Changes two days, by processes that die at the first call, the second and so on, until one does not.
 * After each of them both days are old or both new, and no set is damaged.
 */
export async function endAtEachCall(
  world: ClickHouseWorld,
): Promise<{ readonly deaths: number; readonly states: ReadonlySet<string> }> {
  const database = world.newDatabase();
  const found = await world.open({ database });
  await found.write([await daySet(0, 1), await daySet(1, 2)]);
  const old = '0:old/2 1:old/2';
  const states = new Set<string>();
  const [first, second] = [await daySet(0, 7), await daySet(1, 8)];
  let deaths = 0;
  for (const last of ['unsent', 'unheard'] as const) {
    for (let [calls, isDone] = [0, false]; !isDone; calls++) {
      const dying = dyingOnceOpened(calls, last);
      const store = await world.open({ database, fetch: dying.fetch, graceMs: 0 });
      dying.begin();
      const write = store.write([first, second]);
      isDone = await write.then(
        () => true,
        () => false,
      );
      await store.close();
      const { damages } = await found.verify();
      const state = await daysOf(world, found);
      assert.ok([old, '0:new/2 1:new/2'].includes(state), `${calls} calls: ${state}`);
      assert.deepEqual(damages, [], `${calls} calls`);
      states.add(state);
      if (state !== old) await found.write([await daySet(0, 1), await daySet(1, 2)]);
      deaths += isDone ? 0 : 1;
    }
  }
  await found.close();
  return { deaths, states };
}

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
export function dyingAt(table: string, last: Last): typeof fetch {
  let isDead = false;
  return async (...call) => {
    const [url] = call;
    isDead ||= url instanceof URL && (url.searchParams.get('query') ?? '').includes(table);
    return await dyingAfter(isDead ? 0 : 1, last)(...call);
  };
}

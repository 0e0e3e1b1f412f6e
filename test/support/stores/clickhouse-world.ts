/** A server of ClickHouse for the tests of one file, and stores in databases of their own in it. */
import { after, before } from 'node:test';
import { ClickHouseStore } from '../../../src/storage/clickhouse/clickhouse-store.ts';
import type { ShardsOptions } from '../../../src/storage/clickhouse/shards.ts';
import { rebuilt } from '../../../src/storage/clickhouse/rebuilt.ts';
import { startClickHouse, startShards, type ClickHouseServer } from './clickhouse.ts';
import { dayKey } from './stored-sets.ts';

export interface Opening extends Partial<ShardsOptions> {
  readonly graceMs?: number;
  readonly nowMs?: () => number;
  readonly notes?: string[];
  readonly isReadOnly?: boolean;
}

export interface ClickHouseWorld {
  readonly server: () => ClickHouseServer;
  /** All of the cluster, the one above first. */
  readonly shards: () => readonly ClickHouseServer[];
  readonly newDatabase: () => string;
  /** A store in a database of its own, unless one is named. */
  readonly open: (opening?: Opening) => Promise<ClickHouseStore>;
  /** The bytes of a day's set, checked. */
  readonly load: (store: ClickHouseStore, day: number) => Promise<Buffer | undefined>;
  readonly rowsIn: (database: string, table: string) => Promise<number>;
}

/**
 * Within a `describe`: starts the server before its tests, and stops it after them.
 * @param shards so many, of a cluster that each store lies over; 0: one server, and no cluster
 */
export function clickHouseWorld(shards: number = 0): ClickHouseWorld {
  let started: readonly ClickHouseServer[] = [];
  let databases = 0;
  const cluster = shards === 0 ? undefined : { name: 'tested', isReplicated: false };
  const server = (): ClickHouseServer => {
    const [first] = started;
    if (first === undefined) throw new Error('the server is not there yet');
    return first;
  };
  before(async () => {
    started =
      cluster === undefined ? [await startClickHouse()] : (await startShards(shards)).servers;
  });
  after(() => Promise.all(started.map((each) => each.stop())));
  const newDatabase = (): string => `test ${process.pid} ${databases++}`;
  return {
    server,
    shards: () => started,
    newDatabase,
    open: async ({ notes = [], ...opening }: Opening = {}) => {
      const store = new ClickHouseStore({
        origin: server().origin,
        user: 'default',
        password: '',
        database: newDatabase(),
        isPacked: false,
        firstPauseMs: 1,
        cluster,
        note: (sentence) => notes.push(sentence),
        ...opening,
      });
      await store.open();
      return store;
    },
    load: async (store, day) => {
      const entry = store.find(dayKey(day));
      return entry && Buffer.from(await rebuilt(store.server, entry));
    },
    rowsIn: async (database, table) =>
      Number(await server().ask(`SELECT count() FROM \`${database}\`.\`${table}\``)),
  };
}

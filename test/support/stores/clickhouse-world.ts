/** A server of ClickHouse for the tests of one file, and stores in databases of their own in it. */
import { after, before } from 'node:test';
import { ClickHouseStore } from '../../../src/storage/clickhouse/clickhouse-store.ts';
import type { ClickHouseOptions } from '../../../src/storage/clickhouse/client.ts';
import { rebuilt } from '../../../src/storage/clickhouse/rebuilt.ts';
import { startClickHouse, type ClickHouseServer } from './clickhouse.ts';
import { dayKey } from './stored-sets.ts';

export interface Opening extends Partial<ClickHouseOptions> {
  readonly graceMs?: number;
  readonly nowMs?: () => number;
  readonly notes?: string[];
  readonly isReadOnly?: boolean;
}

export interface ClickHouseWorld {
  readonly server: () => ClickHouseServer;
  readonly newDatabase: () => string;
  /** A store in a database of its own, unless one is named. */
  readonly open: (opening?: Opening) => Promise<ClickHouseStore>;
  /** The bytes of a day's set, checked. */
  readonly load: (store: ClickHouseStore, day: number) => Promise<Buffer | undefined>;
  readonly rowsIn: (database: string, table: string) => Promise<number>;
}

/** Within a `describe`: starts the server before its tests, and stops it after them. */
export function clickHouseWorld(): ClickHouseWorld {
  let started: ClickHouseServer | undefined;
  let databases = 0;
  const server = (): ClickHouseServer => {
    if (started === undefined) throw new Error('the server is not there yet');
    return started;
  };
  before(async () => {
    started = await startClickHouse();
  });
  after(() => started?.stop());
  const newDatabase = (): string => `test ${process.pid} ${databases++}`;
  return {
    server,
    newDatabase,
    open: async ({ notes = [], ...opening }: Opening = {}) => {
      const store = new ClickHouseStore({
        origin: server().origin,
        user: 'default',
        password: '',
        database: newDatabase(),
        isPacked: false,
        firstPauseMs: 1,
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

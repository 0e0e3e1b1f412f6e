/** What every store of sets promises, over ClickHouse. */
import { after, test } from 'node:test';
import { openClickHouseSets } from '../../../src/storage/clickhouse/clickhouse-sets.ts';
import { CLICKHOUSE_MISSING, startClickHouse } from '../../support/stores/clickhouse.ts';
import { readerThreads } from '../../support/stores/reader-threads.ts';
import { promisesOfSets } from '../../support/stores/sets-suite.ts';

if (CLICKHOUSE_MISSING === false) {
  const server = await startClickHouse();
  const threads = readerThreads();
  after(async () => {
    await threads.stop();
    await server.stop();
  });
  let databases = 0;
  promisesOfSets('ClickHouse', {
    open: (arena) =>
      openClickHouseSets({
        origin: server.origin,
        user: 'default',
        password: '',
        database: `suite ${process.pid} ${databases++}`,
        isPacked: false,
        arena,
        cacheBytes: 64 << 20,
        fromWorkers: threads.fromWorkers,
        note: () => undefined,
      }),
    read: threads.read,
  });
} else {
  test('sets in ClickHouse', { skip: CLICKHOUSE_MISSING });
}

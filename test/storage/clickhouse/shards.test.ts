/**
 * What every store of sets promises, over ClickHouse with two shards. `CLICKHOUSE_CLUSTER` names another cluster instead, such
 * as replicas with ZooKeeper: a URL as `--store` takes it, with DATABASE where its database stands.
 */
import { after, test } from 'node:test';
import { openClickHouseSets } from '../../../src/storage/clickhouse/clickhouse-sets.ts';
import { readClickHouseUrl } from '../../../src/storage/clickhouse/clickhouse-url.ts';
import { CLICKHOUSE_MISSING, startShards } from '../../support/stores/clickhouse.ts';
import { readerThreads } from '../../support/stores/reader-threads.ts';
import { promisesOfSets } from '../../support/stores/sets-suite.ts';

const elsewhere = process.env['CLICKHOUSE_CLUSTER'];

if (elsewhere !== undefined || CLICKHOUSE_MISSING === false) {
  const shards = elsewhere === undefined ? await startShards() : undefined;
  const threads = readerThreads();
  after(async () => {
    await threads.stop();
    await shards?.stop();
  });
  let databases = 0;
  promisesOfSets('a cluster of ClickHouse', {
    open: (arena) => {
      const database = `suite_${process.pid}_${databases++}`;
      const url = shards?.url(database) ?? elsewhere?.replace('DATABASE', database) ?? '';
      return openClickHouseSets({
        ...readClickHouseUrl(url, '--store', ''),
        arena,
        cacheBytes: 64 << 20,
        fromWorkers: threads.fromWorkers,
        note: () => undefined,
      });
    },
    read: threads.read,
    runs: 8,
  });
} else {
  test('sets in a cluster of ClickHouse', { skip: CLICKHOUSE_MISSING });
}

/**
 * Recorded requests are answered from ClickHouse, on one server and over two shards, as from a folder, to the byte.
 * `STORES=1` asks all of them, of a folder too, with one, two and four workers; the gate the first of some
 * groups, of one server, as to fill a folder takes longest. Entity tags differ, as they have the names of sets.
 */
import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { clickHousePlace, copySets, folderToRead } from '../../src/storage/copies.ts';
import { readClickHouseUrl } from '../../src/storage/clickhouse/clickhouse-url.ts';
import { startRecordedServers, withoutTag, type MovedSets, type RecordedServers } from '../support/recorded-answers.ts'; // prettier-ignore
import { readRecorded } from '../support/recorded-files.ts';
import { keyOf } from '../support/recorded-request.ts';
import { RECORDED_GROUPS } from '../support/recorded-requests.ts';
import { CLICKHOUSE_MISSING, startClickHouse, startShards } from '../support/stores/clickhouse.ts';
import { newArena } from '../support/stores/stored-sets.ts';

const isWhole = process.env['STORES'] !== undefined;
/** Groups that tell of stored sets, and of nothing else of the folder. */
const GROUPS: readonly string[] = [
  'allocations, stored',
  'allocations in short',
  'assets',
  'trends, resources and sums',
  'cloud costs',
  'external costs',
  'savings',
];

const DATABASE = `answers_${process.pid}`;

interface Place {
  readonly name: string;
  /** So many requests of a group are asked in the gate. */
  readonly first: number;
  /** Where sets go; undefined: they stay in the folder. */
  start(): Promise<{ readonly url: string | undefined; stop(): Promise<void> }>;
}

const PLACES: readonly Place[] = [
  {
    name: 'a folder',
    first: 0,
    start: () => Promise.resolve({ url: undefined, stop: () => Promise.resolve() }),
  },
  {
    name: 'one server of ClickHouse',
    first: 6,
    async start() {
      const server = await startClickHouse();
      const url = `${server.origin.replace(/^http/, 'clickhouse')}/${DATABASE}`;
      return { url, stop: () => server.stop() };
    },
  },
  {
    name: 'two shards of ClickHouse',
    first: 0,
    async start() {
      const shards = await startShards();
      return { url: shards.url(DATABASE), stop: () => shards.stop() };
    },
  },
];

for (const place of PLACES) {
  for (const workers of isWhole ? [1, 2, 4] : place.first > 0 ? [1] : []) {
    describe(`answers from ${place.name}, ${workers} workers`, { skip: CLICKHOUSE_MISSING }, () => {
      const stops: (() => Promise<void>)[] = [];
      let servers: RecordedServers;
      let compared = 0;
      before(async () => {
        const started = await place.start();
        const { url } = started;
        stops.push(() => started.stop());
        const moved = url === undefined ? {} : { moved: (folder: string) => moveSets(folder, url) };
        servers = await startRecordedServers({ workers, ...moved });
        stops.unshift(() => servers.stop());
      });
      after(async () => {
        for (const stop of stops) await stop();
      });

      for (const [group, members] of RECORDED_GROUPS) {
        if (!isWhole && !GROUPS.includes(group)) continue;
        const asked = isWhole ? members : members.slice(0, place.first);
        test(`${group}: ${asked.length} requests are answered as they are recorded`, async () => {
          const recorded = readRecorded(group);
          for (const request of asked) {
            const key = keyOf(request);
            const expected = recorded[key];
            assert.ok(expected, key);
            assert.deepEqual(withoutTag(await servers.ask(request)), withoutTag(expected), key);
            compared++;
          }
        });
      }

      test('the servers have logged no error', (t) => {
        t.diagnostic(`${compared} answers compared`);
        assert.deepEqual(servers.errors(), []);
      });
    });
  }
}

/** Sets go to ClickHouse, and none stays in the folder. */
async function moveSets(folder: string, url: string): Promise<MovedSets> {
  const note = (sentence: string): void => assert.fail(sentence);
  const from = await folderToRead({ folder, arena: newArena(2 << 20), note });
  const to = await clickHousePlace({ ...readClickHouseUrl(url, '--store', ''), note });
  const { sets, damages } = await copySets(from, to, new AbortController().signal);
  await from.close();
  await to.close();
  assert.ok(sets >= 9 && damages.length === 0, `${sets} sets`);
  for (const name of readdirSync(folder)) {
    if (/^(manifest-\d+\.json|newest\.json|sets)$/.test(name)) {
      rmSync(join(folder, name), { recursive: true });
    }
  }
  return { flags: [`--store=${url}`] };
}

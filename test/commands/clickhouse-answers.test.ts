/**
 * Recorded requests are answered from ClickHouse as from a folder, to the byte. `CLICKHOUSE_ANSWERS=1` asks all
 * of them; the gate the first of some groups. Entity tags differ, as they have the names of sets.
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
import {
  CLICKHOUSE_MISSING,
  startClickHouse,
  type ClickHouseServer,
} from '../support/stores/clickhouse.ts';
import { newArena } from '../support/stores/stored-sets.ts';

const isWhole = process.env['CLICKHOUSE_ANSWERS'] === '1';
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
const FIRST = 6;

describe('answers from ClickHouse', { skip: CLICKHOUSE_MISSING }, () => {
  let clickHouse: ClickHouseServer;
  let servers: RecordedServers;
  before(async () => {
    clickHouse = await startClickHouse();
    const url = `${clickHouse.origin.replace(/^http/, 'clickhouse')}/answers_${process.pid}`;
    servers = await startRecordedServers({ moved: (folder) => moveSets(folder, url) });
  });
  after(async () => {
    await servers.stop();
    await clickHouse.stop();
  });

  for (const [group, members] of RECORDED_GROUPS.filter(([name]) => GROUPS.includes(name))) {
    const asked = isWhole ? members : members.slice(0, FIRST);
    test(`${group}: ${asked.length} requests are answered as from a folder`, async () => {
      const recorded = readRecorded(group);
      for (const request of asked) {
        const key = keyOf(request);
        const expected = recorded[key];
        assert.ok(expected, key);
        assert.deepEqual(withoutTag(await servers.ask(request)), withoutTag(expected), key);
      }
    });
  }

  test('the servers have logged no error', () => {
    assert.deepEqual(servers.errors(), []);
  });
});

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

/** Servers of the same days with sums beside the rows, and without: answers are alike to the byte. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { benchDay } from '../../../bench/stored-days.ts';
import { encodeSums, unbilledCharges } from '../../../src/allocation/reduced/sums-set.ts';
import { inNameOrder } from '../../../src/allocation/sets/name-order.ts';
import { ALLOCATION_COLUMNS } from '../../../src/allocation/sets/set-files.ts';
import { compileKernels, createEngine } from '../../../src/columnar/index.ts';
import { encodeSet, openArrowFiles, type EncodedSet } from '../../../src/storage/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import type { Alloc } from '../../support/references/set-query-reference.ts';
import { startCloud } from '../../support/servers/scripted-cloud.ts';
import { startServerProcess, type ServerProcess } from '../../support/servers/server-process.ts';
import { s3Answer, s3Script, s3Variables } from '../../support/stores/s3-script.ts';
import { anyDay, tableOf } from '../../support/stores/set-days.ts';
import { assetDay, columnsOf, node } from '../../support/stores/asset-days.ts';
import { dayKey, META, tableOf as columnTable } from '../../support/stores/stored-sets.ts';

const [KERNELS, TASK] = [1, 2];
const engine = createEngine(compileKernels(), dirtyMemory(128 << 20), KERNELS);
const space = { engine, owner: TASK };
const home = mkdtempSync(join(tmpdir(), 'prorata-beside-'));
after(() => rmSync(home, { recursive: true, force: true }));

const DAYS: readonly (readonly Alloc[])[] = fc
  .sample(anyDay, { seed: 5, numRuns: 40 })
  .filter((day) => day.length > 8)
  .slice(0, 6);
const WINDOW = 'window=2024-05-01T00:00:00Z,2024-05-07T00:00:00Z';
const FLAGS = ['--refresh=0', '--now=2024-05-08T00:00:00Z', '--workers=1', '--timezone=UTC'];
/** As names of files have them. */
const STARTS = DAYS.map((_, day) =>
  new Date(dayKey(day).startMs).toISOString().replace(/[-:.]/g, ''),
);
/** Rows of another day were in its place when its sums were made. */
const STALE = 2;
/** Its sums are damaged. */
const DAMAGED = 4;

/** Overhead that tenants share: of all days but the last ones, and of one cluster more. */
const ASSETS = [
  { type: 'ClusterManagement', cluster: 'c', provider: 'GCP', cost: 2.4 },
  { type: 'Disk', cluster: 'c', name: 'boot', node: 'n', isAttached: 1, cost: 0.7 },
  { type: 'Disk', cluster: 'd', name: 'boot', node: 'n', isAttached: 1, cost: 0.1 },
  node('c', 'n', { providerID: 'gce://project/zone/n', cpuCost: 20, ramCost: 10 }),
];

interface DaySets {
  readonly rows: EncodedSet;
  readonly assets: readonly EncodedSet[];
  readonly sums: EncodedSet;
}

async function daySets(place: number, day: readonly Alloc[]): Promise<DaySets> {
  const { startMs, endMs } = dayKey(place);
  const given = tableOf(engine.arena, TASK, day);
  given.numbers('startMs')?.values.forEach((_, row, values) => {
    values[row] = startMs + ((row * 7_123_457) % 40_000_000);
  });
  given.numbers('endMs')?.values.fill(endMs);
  const table = inNameOrder(engine.arena, TASK, given, ALLOCATION_COLUMNS);
  const rows = await encodeSet({ key: dayKey(place), meta: META, table, ...ALLOCATION_COLUMNS });
  const assets = place < DAYS.length - 1 ? [await assetDay(place, ASSETS)] : [];
  const assetRows = columnTable(columnsOf(place, ASSETS), ASSETS.length);
  const charges = assets.length > 0 ? unbilledCharges({ startMs, endMs }, assetRows) : '';
  assert.equal(charges !== '', assets.length > 0);
  const sums = await encodeSums(space, table, rows, charges);
  engine.arena.release(TASK);
  return { rows, assets, sums };
}

/** @param has whether there are sums, too: then most rows cannot be read */
async function folderOf(has: boolean): Promise<string> {
  const folder = mkdtempSync(join(home, 'days-'));
  const sets = await openArrowFiles({ folder, arena: engine.arena, note: assert.fail });
  for (const [place, day] of DAYS.entries()) {
    const { rows, assets, sums } = await daySets(place, day);
    const others = await daySets(place, DAYS[place + 1] ?? []);
    const beside = has ? [place === STALE ? others.sums : sums] : [];
    await sets.write([rows, ...assets, ...beside]);
  }
  await sets.close();
  if (!has) return folder;
  for (const name of readdirSync(join(folder, 'sets'))) {
    const place = STARTS.findIndex((start) => name.includes(`-${start}-`));
    assert.ok(place >= 0, name);
    const isRead = name.startsWith('allocation-sums-')
      ? place !== DAMAGED
      : name.startsWith('assets-') || place === STALE || place === DAMAGED;
    if (isRead) continue;
    const path = join(folder, 'sets', name);
    const bytes = readFileSync(path);
    // Its directory, at the end, stays: only whoever reads columns finds the damage.
    writeFileSync(path, bytes.fill(0xaa, 64, bytes.length >> 2));
  }
  return folder;
}

interface Answer {
  readonly status: number;
  readonly tag: string | null;
  readonly partial: string | null;
  readonly body: string;
}

async function ask(server: ServerProcess, path: string, tag?: string): Promise<Answer> {
  const headers = tag === undefined ? {} : { 'If-None-Match': tag };
  const response = await fetch(server.url + path, { headers });
  const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
  return {
    status: response.status,
    tag: response.headers.get('etag'),
    partial: response.headers.get('warning'),
    body,
  };
}

const question = fc
  .record({
    route: fc.constantFrom('allocation', 'allocation/summary', 'allocation/summary/topline'),
    aggregate: fc.constantFrom(
      'namespace',
      'cluster',
      'namespace,cluster',
      'cluster,namespace',
      'all',
    ),
    filter: fc.constantFrom(
      '',
      '&idle=false&filter=namespace:"a","b"',
      '&idle=false&filter=cluster!:"c"',
    ),
    idle: fc.constantFrom('', '&idle=false', '&splitIdle=true'),
    format: fc.constantFrom(
      '',
      '&format=csv',
      '&format=csv&columns=full',
      '&format=arrow',
      '&format=ndjson',
    ),
    more: fc.constantFrom(
      '',
      '&accumulate=true',
      '&accumulate=week',
      '&limit=2&sortBy=cpuCost',
      '&costMetric=hourly',
      '&external=true',
      '&shareTenancyCosts=false',
      '&reconcile=false',
    ),
  })
  .map(({ route, aggregate, filter, idle, format, more }) => {
    const formatted = route.endsWith('topline') ? '' : format;
    const shown = filter === '' ? idle : filter;
    return `/model/${route}?${WINDOW}&aggregate=${aggregate}${shown}${formatted}${more}`.replaceAll(
      '"',
      '%22',
    );
  });

describe('sums beside the rows', () => {
  let plain: ServerProcess;
  let summed: ServerProcess;

  before(async () => {
    assert.equal(DAYS.length, 6);
    const folders = [await folderOf(false), await folderOf(true)];
    [plain, summed] = (await Promise.all(
      folders.map((folder) => startServerProcess([`--data-dir=${folder}`, ...FLAGS])),
    )) as [ServerProcess, ServerProcess];
  });
  after(async () => {
    await Promise.all([plain.stop(), summed.stop()]);
  });

  test('answer as the rows do, which are not read; those of other rows and damaged ones do not count', async () => {
    await fc.assert(
      fc.asyncProperty(question, async (path) => {
        const [expected, found] = await Promise.all([ask(plain, path), ask(summed, path)]);
        assert.equal(expected.status, 200, expected.body);
        assert.deepEqual([found, path], [expected, path]);
        const again = await ask(summed, path, expected.tag ?? '');
        assert.equal(again.status, 304, path);
      }),
      { numRuns: 40 },
    );
  });

  test('are not asked where rows count: then their damage shows', async () => {
    const path = `/model/allocation?${WINDOW}&aggregate=namespace&shareIdle=true`;
    assert.match((await ask(summed, path)).body, /damaged/);
  });
});

test('by namespace, less than 15 % of the bytes of days in a bucket are read', async () => {
  const folder = mkdtempSync(join(home, 'fleet-'));
  const sets = await openArrowFiles({ folder, arena: engine.arena, note: assert.fail });
  for (const day of [0, 1]) {
    await sets.write(await benchDay(space, 4000, day));
    engine.arena.release(TASK);
  }
  await sets.close();
  const script = s3Script('costs');
  let readBytes = 0;
  const cloud = await startCloud((request) => {
    const answer = s3Answer(script, request);
    if (request.method === 'GET') readBytes += answer.body?.length ?? 0;
    return answer;
  });
  const env = { ...s3Variables(cloud.origin), PATH: process.env['PATH'] };
  try {
    const copying = spawn(
      process.execPath,
      ['src/prorata.js', 'copy', '--from', folder, '--to', 's3://costs/', '--quiet'],
      { env, stdio: 'inherit' },
    );
    assert.deepEqual(await once(copying, 'exit'), [0, null]);
    const stored = [...script.files.values()].reduce((sum, { content }) => sum + content.length, 0);
    const server = await startServerProcess(
      ['--store=s3://costs/', `--data-dir=${join(home, 'cache')}`, ...FLAGS],
      { env },
    );
    readBytes = 0;
    const path =
      '/model/allocation?window=2024-05-01T00:00:00Z,2024-05-03T00:00:00Z&aggregate=namespace';
    const { status, body } = await ask(server, path);
    await server.stop();
    assert.equal(status, 200, body);
    assert.match(body, /team-0/);
    assert.ok(readBytes > 0 && readBytes < 0.15 * stored, `${readBytes} of ${stored} bytes`);
  } finally {
    cloud.close();
  }
});

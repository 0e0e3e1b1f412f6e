/** Sets as Parquet in a folder and in a bucket: what other programs read there, and when. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import type { ColumnNames } from '../../../src/columnar/index.ts';
import { HOUR_MS } from '../../../src/query/index.ts';
import { folderToRead, parquetBucket, parquetFolder, sinkSets, type ParquetPlace } from '../../../src/storage/copies.ts'; // prettier-ignore
import { openArrowFiles, type EncodedSet } from '../../../src/storage/index.ts';
import { parquetPath } from '../../../src/storage/parquet/layout.ts';
import { parquetColumns, parquetOf } from '../../../src/storage/parquet/set-file.ts';
import { anyUnicode } from '../../support/arbitraries/unicode.ts';
import { parquetFooter, parquetRows } from '../../support/references/parquet-reading.ts';
import { startObjectWorld } from '../../support/stores/object-stores.ts';
import { dayKey, encoded, FIRST_MS, newArena } from '../../support/stores/stored-sets.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-parquet-'));
after(() => rmSync(home, { recursive: true, force: true }));
const world = await startObjectWorld();
after(() => world.stop());

const KINDS: ReadonlyMap<string, ColumnNames> = new Map([
  ['allocations', { texts: ['pod', 'labels'], numbers: ['cpuCost', 'ramCost'] }],
]);
const NOT_ABORTED = new AbortController().signal;
const NOTE = { content: '', state: 'sealed', timezone: 'UTC' } as const;

/** Where files are written, and their bytes by path. */
interface Target {
  readonly name: string;
  readonly to: ParquetPlace;
  files(): Map<string, Uint8Array>;
  put(path: string, bytes: Uint8Array): void;
}

function folderTarget(): Target {
  const folder = mkdtempSync(join(home, 'tables-'));
  const list = (): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .toSorted();
  return {
    name: 'a folder',
    to: parquetFolder(folder),
    files: () => new Map(list().map((path) => [path, readFileSync(join(folder, path))])),
    put(path, bytes) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    },
  };
}

let buckets = 0;
function bucketTarget(): Target {
  const prefix = `tables ${++buckets}/`;
  const { bucket, script } = world;
  return {
    name: 'a bucket',
    // A listing is of one run.
    to: {
      tail: (path, bytes) => parquetBucket({ bucket, prefix }, NOT_ABORTED).tail(path, bytes),
      read: (path) => parquetBucket({ bucket, prefix }, NOT_ABORTED).read(path),
      write: (path, bytes) => parquetBucket({ bucket, prefix }, NOT_ABORTED).write(path, bytes),
    },
    files: () =>
      new Map(
        [...script.files]
          .filter(([key]) => key.startsWith(prefix))
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, { content }]) => [key.slice(prefix.length), Buffer.from(content)]),
      ),
    put: (path, bytes) => script.files.set(prefix + path, { content: bytes, etag: '"other"' }),
  };
}

/** A folder of sets, as a server has it. */
async function stored(folder: string, sets: readonly EncodedSet[]): Promise<void> {
  const options = { folder, arena: newArena(), note: (): void => undefined, graceMs: 0 };
  const store = await openArrowFiles(options);
  await store.write(sets);
  await store.close();
}

async function sunk(
  folder: string,
  { to }: Target,
  options: Partial<Parameters<typeof sinkSets>[0]> = {},
): ReturnType<typeof sinkSets> {
  const from = await folderToRead({ folder, arena: newArena(), note: () => undefined });
  try {
    return await sinkSets({ from, to, kinds: KINDS, signal: NOT_ABORTED, ...options });
  } finally {
    await from.close();
  }
}

const hourKey = (hour: number): EncodedSet['key'] => {
  const startMs = FIRST_MS + hour * HOUR_MS;
  return { kind: 'allocations', startMs, endMs: startMs + HOUR_MS };
};

for (const makeTarget of [folderTarget, bucketTarget]) {
  describe(`in ${makeTarget().name}`, () => {
    test('each set is a file once, and a set that differs takes its place', async () => {
      const target = makeTarget();
      const folder = mkdtempSync(join(home, 'sets-'));
      await stored(folder, [
        await encoded(dayKey(0), { pod: ['api', 'db'], cpuCost: [1, 0.1] }),
        await encoded(dayKey(1), { pod: ['api'], cpuCost: [3] }),
        await encoded(hourKey(25), { pod: ['api'], cpuCost: [2] }),
        await encoded(dayKey(0, 'usage'), { pod: ['api'] }),
      ]);
      const first = await sunk(folder, target);
      const { bytes, ...counts } = first;
      assert.deepEqual(counts, { sets: 3, rows: 4, same: 0, damages: [] });
      const files = target.files();
      // Of zone Berlin: days are told by its dates, hours stand apart.
      assert.deepEqual(
        [...files.keys()],
        [
          'allocations/date=2024-05-01/20240501T000000Z-20240502T000000Z.parquet',
          'allocations/date=2024-05-02/20240502T000000Z-20240503T000000Z.parquet',
          'allocations_hours/date=2024-05-02/20240502T010000Z-20240502T020000Z.parquet',
        ],
      );
      assert.equal(
        bytes,
        [...files.values()].reduce((sum, { length }) => sum + length, 0),
      );
      const [path = '', content = Buffer.alloc(0)] = [...files][0] ?? [];
      const [windowStart, windowEnd] = [new Date(FIRST_MS), new Date(dayKey(0).endMs)];
      const own = { windowStart, windowEnd, labels: '', ramCost: 0 };
      assert.deepEqual(await parquetRows(content), [
        { ...own, pod: 'api', cpuCost: 1 },
        { ...own, pod: 'db', cpuCost: 0.1 },
      ]);
      await stored(folder, [await encoded(dayKey(0), { pod: ['other'], cpuCost: [7] })]);
      const { sets, same } = await sunk(folder, target);
      assert.deepEqual([sets, same, target.files().size], [1, 2, 3]);
      const rows = await parquetRows(target.files().get(path) ?? Buffer.alloc(0));
      assert.deepEqual(rows, [{ ...own, pod: 'other', cpuCost: 7 }]);
    });

    test('files that are damaged, of others, or of other columns are written again', async () => {
      const target = makeTarget();
      const folder = mkdtempSync(join(home, 'sets-'));
      await stored(folder, [await encoded(dayKey(0), { pod: ['api'], cpuCost: [1] })]);
      await sunk(folder, target);
      const [[path, whole]] = [...target.files()] as [[string, Uint8Array]];
      for (const wrong of [whole.subarray(0, -1), Buffer.from('PAR1'), Buffer.alloc(0)]) {
        target.put(path, wrong);
        assert.equal((await sunk(folder, target)).sets, 1);
        assert.deepEqual(Buffer.from(target.files().get(path) ?? ''), Buffer.from(whole));
      }
      const kinds = new Map([['allocations', { texts: ['pod'], numbers: ['gpuCost'] }]]);
      assert.equal((await sunk(folder, target, { kinds })).sets, 1);
      assert.equal((await sunk(folder, target, { kinds })).same, 1);
    });

    test('a damaged set is told and left out, and its file stays', async () => {
      const target = makeTarget();
      const folder = mkdtempSync(join(home, 'sets-'));
      await stored(folder, [
        await encoded(dayKey(0), { pod: ['api'] }),
        await encoded(dayKey(1), { pod: ['api'] }),
      ]);
      await sunk(folder, target);
      const before = target.files();
      const [name = ''] = readdirSync(join(folder, 'sets')).toSorted();
      truncateSync(join(folder, 'sets', name), 100);
      const kinds = new Map([['allocations', { texts: ['pod', 'node'], numbers: [] }]]);
      const { sets, damages } = await sunk(folder, target, { kinds });
      assert.equal(sets, 1);
      assert.match(damages[0]?.what ?? '', /^allocations of 2024-05-01/);
      const [path = ''] = before.keys();
      assert.deepEqual(target.files().get(path), before.get(path));
    });

    test('an interrupted run leaves whole files, and the next one goes on', async () => {
      const target = makeTarget();
      const folder = mkdtempSync(join(home, 'sets-'));
      const days = [0, 1, 2].map((day) => encoded(dayKey(day), { pod: ['api'] }));
      await stored(folder, await Promise.all(days));
      const stop = new AbortController();
      const onSet = (_: unknown, done: number): void => {
        if (done === 1) stop.abort(new Error('enough'));
      };
      await assert.rejects(sunk(folder, target, { signal: stop.signal, onSet }), /enough/);
      assert.equal(target.files().size, 1);
      const { sets, same } = await sunk(folder, target);
      assert.deepEqual([sets, same], [2, 1]);
    });
  });
}

test('what is not as it was written is an error that names the file', async () => {
  const folder = mkdtempSync(join(home, 'sets-'));
  await stored(folder, [await encoded(dayKey(0), { pod: ['api'] })]);
  const target = folderTarget();
  const to = { ...target.to, read: () => Promise.resolve(Buffer.from('other')) };
  await assert.rejects(
    sunk(folder, { ...target, to }),
    /allocations\/date=2024-05-01\/.*\.parquet is not what was written/,
  );
});

test('dates are those of the zone of the set', () => {
  const path = (kind: string, start: string, end: string, zone: string): string =>
    parquetPath({ kind, startMs: Date.parse(start), endMs: Date.parse(end) }, zone);
  assert.equal(
    path('assets', '2026-11-26T23:00Z', '2026-11-27T23:00Z', 'Europe/Berlin'),
    'assets/date=2026-11-27/20261126T230000Z-20261127T230000Z.parquet',
  );
  // Of 23 hours, as clocks go forward.
  const short = path('assets', '2026-03-28T23:00Z', '2026-03-29T22:00Z', 'Europe/Berlin');
  assert.match(short, /^assets\/date=2026-03-29\//);
});

const NUMBER = fc.oneof(fc.constantFrom(0, -0, Number.NaN, Infinity), fc.double(), fc.nat(300));
const TEXT = fc.oneof(fc.constantFrom('', 'web'), anyUnicode());
const ROWS = fc.array(fc.record({ pod: TEXT, cpuCost: NUMBER }), { minLength: 1, maxLength: 60 });

test('the file of any set has its rows to the bit', async () => {
  const names = KINDS.get('allocations') ?? { texts: [], numbers: [] };
  const property = fc.asyncProperty(ROWS, async (rows) => {
    const columns = { pod: rows.map(({ pod }) => pod), cpuCost: rows.map((row) => row.cpuCost) };
    const set = await encoded(dayKey(0), columns);
    const bytes = await parquetOf(set, parquetColumns(names), NOTE);
    const read = await parquetRows(bytes);
    assert.deepEqual(
      read.map(({ pod, labels, ramCost }) => [pod, labels, ramCost]),
      rows.map(({ pod }) => [pod, '', 0]),
    );
    rows.forEach(({ cpuCost }, i) => assert.ok(Object.is(read[i]?.['cpuCost'], cpuCost)));
  });
  await fc.assert(property, { numRuns: 40 });
});

test('a set without rows is a file without rows, and a large one has groups', async () => {
  const names = { texts: ['pod'], numbers: ['cpuCost'] };
  const fileOf = async (columns: Parameters<typeof encoded>[1]): Promise<Uint8Array> =>
    parquetOf(await encoded(dayKey(0), columns), parquetColumns(names), NOTE);
  assert.deepEqual(await parquetRows(await fileOf({ pod: [] })), []);
  const rows = 131_073;
  const cpuCost = Array.from({ length: rows }, (_, row) => row / 3);
  const bytes = await fileOf({ pod: cpuCost.map((_, row) => `pod-${row >> 2}`), cpuCost });
  const groups = parquetFooter(bytes).row_groups.map(({ num_rows }) => Number(num_rows));
  assert.deepEqual(groups, [131_072, 1]);
  const read = await parquetRows(bytes);
  assert.ok(read.every((row, i) => row['cpuCost'] === i / 3 && row['pod'] === `pod-${i >> 2}`));
});

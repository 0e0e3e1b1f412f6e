/** What every store of sets promises: one suite for all of them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  ArenaFull,
  openTable,
  type Arena,
  type Owner,
  type TableAddresses,
} from '../../../src/columnar/index.ts';
import {
  SetReader,
  type EncodedSet,
  type Sets,
  type StoredSet,
} from '../../../src/storage/index.ts';
import { dayKey, encoded, META, newArena, ownerCounter, plain, type Columns } from './stored-sets.ts'; // prettier-ignore

/** A store that the suite runs over. */
export interface TestedStore {
  /** An empty one. */
  readonly open: (arena: Arena) => Promise<Sets>;
  /** How a worker reads a set; absent: as any thread does. */
  readonly read?: ReadElsewhere;
  /** Tables drawn. */
  readonly runs?: number;
}

export type ReadElsewhere = (
  arena: Arena,
  stored: StoredSet,
  owner: Owner,
  columns?: readonly string[],
) => Promise<TableAddresses>;

const readHere: ReadElsewhere = (arena, stored, owner, columns) =>
  Promise.resolve(new SetReader(arena).read(stored, owner, columns).addresses);

const COLUMNS: Columns = {
  pod: ['a', 'b', '', 'a', 'ü'],
  cluster: ['eu', 'eu', 'eu', 'eu', 'eu'],
  nothing: ['', '', '', '', ''],
  cpuCost: [0.1, 2, -3.5, 0, 1e300],
  gpuHours: [0, 0, 0, 0, 0],
  minutes: [1440, 1440, 1440, 1440, 1440],
  restarts: [0, 1, 2, 70_000, 3],
  sketch: ['', 'a', '\xff\0', '', 'abc'].map((row) => Buffer.from(row, 'latin1')),
  noSketch: ['', '', '', '', ''].map((row) => Buffer.from(row)),
};

/** @param name as the tests have it */
export function promisesOfSets(name: string, store: TestedStore): void {
  const open = (arena: Arena): Promise<Sets> => store.open(arena);
  const read = store.read ?? readHere;
  describe(`sets in ${name}`, () => {
    const arena = newArena();
    const nextOwner = ownerCounter();
    const stored = async (sets: Sets, day: number, like: Columns): Promise<Columns | undefined> => {
      const owner = nextOwner();
      const read = await sets.read(dayKey(day), owner);
      const columns = read && plain(read.table, like);
      arena.release(owner);
      return columns;
    };

    test('a set is read as it was written', async () => {
      const sets = await open(arena);
      await sets.write([await encoded(dayKey(0), COLUMNS)]);
      assert.deepEqual(await stored(sets, 0, COLUMNS), COLUMNS);
      await sets.close();
    });

    test('any table is read as it was written, with any columns of it', async () => {
      const sets = await open(arena);
      const row = fc.record({
        pod: fc.string({ unit: 'grapheme', maxLength: 8 }),
        namespace: fc.constantFrom('', 'web', 'ci'),
        cpuCost: fc.double({ noNaN: true }),
        count: fc.integer({ min: -5, max: 300 }),
        sketch: fc.uint8Array({ maxLength: 9 }).map((row) => Buffer.from(row)),
      });
      const names = fc.subarray(['pod', 'namespace', 'cpuCost', 'count', 'sketch', 'none']);
      await fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1 }), names, async (rows, wanted) => {
          const columns: Columns = {
            pod: rows.map(({ pod }) => pod),
            namespace: rows.map(({ namespace }) => namespace),
            cpuCost: rows.map(({ cpuCost }) => cpuCost),
            count: rows.map(({ count }) => count),
            sketch: rows.map(({ sketch }) => sketch),
          };
          await sets.write([await encoded(dayKey(0), columns)]);
          const owner = nextOwner();
          const read = await sets.read(dayKey(0), owner, wanted);
          assert.ok(read, 'the set is there');
          assert.equal(read.table.rows, rows.length);
          const like = Object.fromEntries(
            Object.entries(columns).filter(([column]) => wanted.includes(column)),
          );
          assert.deepEqual(plain(read.table, like), like);
          for (const column of Object.keys(columns)) {
            if (wanted.includes(column)) continue;
            assert.equal(read.table.text(column), undefined, column);
            assert.equal(read.table.numbers(column), undefined, column);
            assert.equal(read.table.bytes?.(column), undefined, column);
          }
          arena.release(owner);
        }),
        { numRuns: store.runs ?? 40 },
      );
      await sets.close();
    });

    test('a set of no rows, and one of no columns, are sets', async () => {
      const sets = await open(arena);
      await sets.write([
        await encoded(dayKey(0), {}),
        await encoded(dayKey(1), { pod: [], cpuCost: [] }),
        await encoded(dayKey(2), { cpuCost: [0, 0, 0], pod: ['', '', ''] }),
      ]);
      assert.deepEqual(
        sets.list('allocations').map(({ rows }) => rows),
        [0, 0, 3],
      );
      const owner = nextOwner();
      const read = await sets.read(dayKey(2), owner);
      assert.equal(read?.table.rows, 3);
      assert.equal(read?.table.numbers('cpuCost'), undefined);
      await sets.close();
    });

    test('sets are listed by kind and time, with their metadata', async () => {
      const sets = await open(arena);
      const partial = { state: 'partial', warnings: ['the store was away for 3h'] } as const;
      await sets.write([
        await encoded(dayKey(1), COLUMNS, partial),
        await encoded(dayKey(0, 'assets'), COLUMNS),
        await encoded(dayKey(0), COLUMNS),
      ]);
      const listed = sets.list('allocations');
      assert.deepEqual(
        listed.map(({ key, meta, rows }) => ({ key, meta, rows })),
        [
          { key: dayKey(0), meta: META, rows: 5 },
          { key: dayKey(1), meta: { ...META, ...partial }, rows: 5 },
        ],
      );
      assert.ok((listed[0]?.bytes ?? 0) > 500, 'the size of the file is told');
      assert.equal(sets.list('assets').length, 1);
      assert.deepEqual(sets.list('usage'), []);
      await sets.close();
    });

    test('a set replaces the one of the same key, and removed sets are gone', async () => {
      const sets = await open(arena);
      await sets.write([await encoded(dayKey(0), COLUMNS), await encoded(dayKey(1), COLUMNS)]);
      const other = { cpuCost: [9, 8], pod: ['x', 'y'] };
      await sets.write([await encoded(dayKey(0), other)]);
      assert.deepEqual(await stored(sets, 0, other), other);
      assert.deepEqual(await stored(sets, 1, COLUMNS), COLUMNS);
      await sets.remove([dayKey(0), dayKey(7)]);
      assert.equal(await stored(sets, 0, other), undefined);
      assert.equal(sets.locate(dayKey(0)), undefined);
      assert.equal(sets.list('allocations').length, 1);
      await sets.close();
    });

    test('the version changes with each change, and not by reading', async () => {
      const sets = await open(arena);
      const versions = [sets.version];
      for (const cpuCost of [1, 2, 2]) {
        await sets.write([await encoded(dayKey(0), { cpuCost: [cpuCost, 0] })]);
        versions.push(sets.version);
        await stored(sets, 0, { cpuCost: [0, 0] });
        assert.equal(sets.version, versions.at(-1));
      }
      await sets.remove([dayKey(0)]);
      versions.push(sets.version);
      assert.equal(new Set(versions).size, 5, versions.join());
      await sets.close();
    });

    test('sets may be made one by one; when one fails nothing changes', async () => {
      const sets = await open(arena);
      async function* making(fails: boolean): AsyncGenerator<EncodedSet> {
        yield await encoded(dayKey(0), COLUMNS);
        if (fails) throw new RangeError('no second set');
        yield await encoded(dayKey(1), COLUMNS);
      }
      const failed = { name: 'RangeError', message: 'no second set' };
      await assert.rejects(sets.write(making(true)), failed);
      assert.deepEqual(sets.list('allocations'), []);
      await sets.write([]);
      await sets.write(making(false));
      assert.deepEqual(await stored(sets, 1, COLUMNS), COLUMNS);
      assert.equal(sets.list('allocations').length, 2);
      await sets.close();
    });

    test('changes called at once take effect in the order of their calls', async () => {
      const sets = await open(arena);
      const versions = await Promise.all(
        [1, 2, 3, 4].map((cpuCost) => encoded(dayKey(0), { cpuCost: [cpuCost, 0] })),
      );
      await Promise.all(versions.map((version) => sets.write([version])));
      assert.deepEqual(await stored(sets, 0, { cpuCost: [0] }), { cpuCost: [4, 0] });
      await sets.close();
    });

    test('another thread reads a located set, and opens a read one', async () => {
      const sets = await open(arena);
      await sets.write([await encoded(dayKey(0), COLUMNS)]);
      const posted = structuredClone(sets.locate(dayKey(0)));
      assert.ok(posted, 'the set is there');
      const owner = nextOwner();
      const addresses = await read(arena, posted, owner, ['pod', 'cpuCost', 'cluster']);
      const table = openTable(arena, structuredClone(addresses));
      const { pod = [], cpuCost = [], cluster = [] } = COLUMNS;
      assert.deepEqual(plain(table, { pod, cpuCost, cluster }), { pod, cpuCost, cluster });
      arena.release(owner);
      await sets.close();
    });

    test('a replaced set can still be read where it was located before', async () => {
      const sets = await open(arena);
      await sets.write([await encoded(dayKey(0), COLUMNS)]);
      const before = sets.locate(dayKey(0));
      await sets.write([await encoded(dayKey(0), { cpuCost: [1, 2] })]);
      await sets.remove([dayKey(0)]);
      await sets.write([await encoded(dayKey(1), { cpuCost: [1, 2] })]);
      const owner = nextOwner();
      assert.ok(before, 'the set was there');
      const table = openTable(arena, await read(arena, before, owner));
      assert.deepEqual(plain(table, COLUMNS), COLUMNS);
      arena.release(owner);
      await sets.close();
    });

    test('a read without room holds nothing', async () => {
      const small = newArena(3 << 20);
      const sets = await open(small);
      const cpuCost = Array.from({ length: 40_000 }, (_, i) => i / 3);
      const pod = cpuCost.map((_, i) => `pod-${i % 9}`);
      await sets.write([await encoded(dayKey(0), { cpuCost, pod })]);
      // Room for the frame, not for the dictionary.
      const rest = small.capacityBytes - small.usedBytes - 8 * 65_536;
      small.allocate(rest, 2);
      const usedBytes = small.usedBytes;
      await assert.rejects(sets.read(dayKey(0), 3), ArenaFull);
      assert.equal(small.usedBytes, usedBytes);
      small.release(2);
      assert.equal((await sets.read(dayKey(0), 3))?.table.rows, cpuCost.length);
      await sets.close();
    });

    test('a whole store verifies', async () => {
      const sets = await open(arena);
      await sets.write([await encoded(dayKey(0), COLUMNS), await encoded(dayKey(1), COLUMNS)]);
      const { damages, sets: count, bytes } = await sets.verify();
      assert.deepEqual(damages, []);
      assert.equal(count, 2);
      const listed = sets.list('allocations').reduce((sum, set) => sum + set.bytes, 0);
      assert.equal(bytes, listed);
      await sets.close();
    });
  });
}

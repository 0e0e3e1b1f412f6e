import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arena } from '../../src/columnar/index.ts';
import { SetReader, uniformSets } from '../../src/storage/index.ts';
import { dirtyMemory } from '../support/references/dirty-memory.ts';

const SETS = 1;
const READ = 2;

test('uniform sets are listed, located and read like others', () => {
  const arena = new Arena(dirtyMemory(4 << 20));
  const key = { kind: 'allocations', startMs: 0, endMs: 86_400_000 };
  const columns = { cpuCost: 2.5, namespace: 'größe' };
  const sets = uniformSets(arena, SETS, [{ key, rows: 3, columns }]);
  assert.deepEqual(sets.kinds(), ['allocations']);
  assert.deepEqual(
    sets.list('allocations').map((info) => [info.key, info.rows, info.meta.state]),
    [[key, 3, 'sealed']],
  );
  assert.deepEqual(sets.list('assets'), []);
  assert.equal(sets.locate({ ...key, kind: 'assets' }), undefined);
  const stored = sets.locate(key);
  assert.ok(stored, 'it is there');
  const { table } = new SetReader(arena).read(stored, READ);
  assert.equal(table.rows, 3);
  assert.deepEqual([...(table.numbers('cpuCost')?.values ?? [])], [2.5, 2.5, 2.5]);
  const texts = table.text('namespace');
  assert.deepEqual(
    Array.from(texts?.codes ?? [], (code) => texts?.texts.text(code)),
    ['größe', 'größe', 'größe'],
  );
});

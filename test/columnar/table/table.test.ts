import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arena, createFrame, DictionaryBuilder, frameTable } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

test('a frame is a table: codes with their texts, numbers with their address', () => {
  const arena = new Arena(dirtyMemory(2 ** 21));
  const texts = new DictionaryBuilder();
  const frame = createFrame(
    arena,
    [
      { name: 'node', type: 'u32' },
      { name: 'cpuCost', type: 'f64' },
    ],
    2,
    1,
  );
  frame.u32('node').set([texts.code('a'), texts.code('b')]);
  frame.f64('cpuCost').set([1, 2]);
  const table = frameTable(frame, texts);
  assert.equal(table.rows, 2);
  const nodes = table.text('node');
  assert.deepEqual(
    Array.from(nodes?.codes ?? [], (code) => nodes?.texts.text(code)),
    ['a', 'b'],
  );
  assert.deepEqual([...(table.numbers('cpuCost')?.values ?? [])], [1, 2]);
  assert.equal(table.numbers('cpuCost')?.address, frame.columns.get('cpuCost')?.address);
});

test('a column that is not there, or of the other kind, is undefined', () => {
  const arena = new Arena(dirtyMemory(2 ** 21));
  const frame = createFrame(arena, [{ name: 'node', type: 'u32' }], 1, 1);
  const table = frameTable(frame, new DictionaryBuilder());
  assert.equal(table.text('pod'), undefined);
  assert.equal(table.numbers('node'), undefined);
  assert.equal(table.numbers('cpuCost'), undefined);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeKeys } from '../../../src/allocation/ledger/ledger-keys.ts';
import { Arena } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { anyUnicode } from '../../support/arbitraries/unicode.ts';

const OWNER = 1;
const arena = new Arena(dirtyMemory(8 * 2 ** 20));

/** Keys as they are in the arena. */
function written(keys: readonly (readonly string[])[]): { texts: string[]; firsts: number[] } {
  const { keyOffsets, keyBytes, count, firsts } = writeKeys(
    arena,
    OWNER,
    keys.map((key) => ({ key })),
  );
  const offsets = arena.u32(keyOffsets, count + 1);
  const texts = Array.from({ length: count }, (_, i) => {
    const from = offsets[i] ?? NaN;
    return arena.text(keyBytes + from, (offsets[i + 1] ?? NaN) - from).toString();
  });
  arena.release(OWNER);
  return { texts, firsts: [...firsts] };
}

const part = fc.oneof(fc.constantFrom('', 'a', 'pod', 'größe', '名前'), anyUnicode());
const text = part.map((value) => value.replaceAll('\0', '0'));

test('keys are their parts, each followed by a zero byte, and neighbours share one', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text, text, fc.integer({ min: 1, max: 3 }))), (rows) => {
      const keys = rows.flatMap(([a, b, c, times]) =>
        Array.from({ length: times }, () => [a, b, c]),
      );
      const texts = keys.map((key) => key.map((value) => `${value}\0`).join(''));
      const firsts = texts.flatMap((value, i) => (i > 0 && value === texts[i - 1] ? [] : [i]));
      assert.deepEqual(written(keys), { texts: firsts.map((i) => texts[i]), firsts });
    }),
  );
});

test('no subject has no key', () => {
  assert.deepEqual(written([]), { texts: [], firsts: [] });
});

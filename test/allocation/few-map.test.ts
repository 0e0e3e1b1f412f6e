/** A map of few entries does what a Map does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FewMap } from '../../src/allocation/few-map.ts';

test('what was set is found, in the order of its coming', () => {
  const key = fc.constantFrom('', 'a', 'b', 'c');
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.nat(3)), { maxLength: 6 }), (sets) => {
      const few = new FewMap<{ value: number }>();
      const map = new Map<string, { value: number }>();
      for (const [name, value] of sets) {
        few.set(name, { value });
        map.set(name, { value });
        for (const asked of ['', 'a', 'b', 'c']) assert.deepEqual(few.get(asked), map.get(asked));
        assert.equal(few.size, map.size);
        assert.deepEqual([...few], [...map]);
        assert.deepEqual([...few.values()], [...map.values()]);
      }
    }),
  );
  assert.equal(new FewMap().size, 0);
  assert.deepEqual([...new FewMap()], []);
});

/** A map of few entries does what a Map does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FewMap } from '../../../src/allocation/inventory/few-map.ts';

interface Visited<Value> {
  forEach(visit: (value: Value, key: string) => void): void;
}

function entriesOf<Value>(map: Visited<Value>): [string, Value][] {
  const entries: [string, Value][] = [];
  map.forEach((value, key) => entries.push([key, value]));
  return entries;
}

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
        assert.deepEqual(entriesOf(few), entriesOf(map));
        assert.deepEqual([...few.values()], [...map.values()]);
      }
    }),
  );
  assert.equal(new FewMap().size, 0);
  assert.deepEqual(entriesOf(new FewMap()), []);
  assert.deepEqual([...new FewMap().values()], []);
});

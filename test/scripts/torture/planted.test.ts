import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { edited, PLANTED } from '../../../scripts/torture/planted.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

for (const { name, edits } of PLANTED) {
  test(`the place for a fault stands in the sources: ${name}`, () => {
    assert.ok(edits.length > 0);
    for (const edit of edits) {
      const text = readFileSync(join(ROOT, edit.file), 'utf8');
      assert.notEqual(edited(text, edit), text);
    }
  });
}

test('a place that is not there, or there twice, is an error', () => {
  const edit = { file: 'a.ts', find: 'one', replace: 'two' };
  assert.throws(() => edited('none', { ...edit, find: 'some' }), /'some' stands there 0 times/);
  assert.throws(() => edited('one one', edit), /a\.ts: 'one' stands there 2 times/);
  assert.equal(edited('an one', edit), 'an two');
});

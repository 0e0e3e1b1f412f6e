/** What the page shows and its URL are the same, there and back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FIELDS, readState, writeState, type PageState } from '../../src/web/url.ts';

const PRESET = readState('');
const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), {
  minLength: 1,
  maxLength: 4,
});
const field = fc.constantFrom('namespace', 'label[app]', 'pod');
const crumb = fc.record({ field, value: text }, { noNullPrototype: true });

const states: fc.Arbitrary<PageState> = fc.record(
  {
    view: text,
    window: text,
    by: texts,
    path: fc.array(crumb, { minLength: 1, maxLength: 5 }),
    filter: text,
    against: text,
    idle: fc.constantFrom('apart', 'stacked', 'shared', 'hidden'),
    share: texts,
    split: fc.constantFrom('weighted', 'even'),
    tenancy: fc.boolean(),
    external: fc.boolean(),
    bill: fc.boolean(),
    chart: fc.constantFrom('bars', 'tiles'),
    per: fc.constantFrom('day', 'hour', 'week', 'month', 'quarter'),
    from: text,
    sort: text,
    rising: fc.boolean(),
    open: text,
    find: text,
    more: text,
  },
  { noNullPrototype: true },
);

test('every state comes back from its URL', () => {
  fc.assert(
    fc.property(states, (state) => {
      assert.deepEqual(readState(writeState(state)), state);
      assert.deepEqual(readState(new URL(writeState(state), 'http://a/ui').search), state);
    }),
  );
});

test('what is preset is not in the URL', () => {
  assert.equal(writeState(PRESET), '?');
  assert.equal(writeState({ ...PRESET, window: '30d' }), '?window=30d');
  assert.equal(
    writeState({ ...PRESET, by: ['namespace', 'label:app'], filter: 'pod:"a b"' }),
    '?by=namespace,label:app&filter=pod:%22a+b%22',
  );
});

test('a URL that says nothing that is known is the preset, whatever it holds', () => {
  assert.deepEqual(readState('?idle=loud&per=&tenancy=1&rising=&new=thing'), PRESET);
  fc.assert(
    fc.property(fc.webQueryParameters(), (query) => {
      assert.deepEqual(Object.keys(readState(query)), Object.keys(FIELDS));
    }),
  );
});

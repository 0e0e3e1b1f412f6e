import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FoundCaveats } from '../../src/query/caveats.ts';
import { messageOf } from '../../src/query/warnings.ts';

const sentences = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 });
const finding = fc.oneof(
  fc.record({ kind: fc.constant('lack' as const), sentences }),
  fc.record({ kind: fc.constant('note' as const), sentences }),
  fc.record({ kind: fc.constant('set' as const), sentences, hasGaps: fc.boolean() }),
  fc.record({ kind: fc.constant('other' as const), sentences, isPartial: fc.boolean() }),
);

test('an answer is partial where something is lacking, and never for a note', () => {
  const property = fc.property(fc.array(finding, { maxLength: 6 }), (findings) => {
    const caveats = new FoundCaveats();
    const told = new Set<string>();
    let isLacking = false;
    for (const found of findings) {
      if (found.kind === 'lack') caveats.lack(found.sentences);
      if (found.kind === 'note') caveats.note(found.sentences);
      if (found.kind === 'set') {
        caveats.lackOfSet({ warnings: found.sentences, hasGaps: found.hasGaps });
        if (!found.hasGaps) continue;
        isLacking = true;
      }
      if (found.kind === 'other') {
        caveats.add({ warnings: found.sentences, isPartial: found.isPartial });
        isLacking ||= found.isPartial;
      }
      isLacking ||= found.kind === 'lack' && found.sentences.length > 0;
      for (const sentence of found.sentences) told.add(sentence);
    }
    assert.equal(caveats.isPartial, isLacking);
    assert.deepEqual(caveats.warnings.map(messageOf).toSorted(), [...told].sort());
  });
  fc.assert(property);
});

test('money that sets warn of is added up', () => {
  const caveats = new FoundCaveats();
  for (const usd of ['1.25', '0.50']) {
    const warnings = [`allocations exceed their nodes by $${usd}: nothing is idle there`];
    caveats.lackOfSet({ warnings, hasGaps: true });
  }
  assert.deepEqual(caveats.warnings.map(messageOf), ['allocations exceed their nodes by $1.75: nothing is idle there']); // prettier-ignore
});

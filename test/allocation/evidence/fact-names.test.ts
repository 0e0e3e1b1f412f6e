/** What is read of a store depends on what it is read for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsFor, labelsKept } from '../../../src/allocation/evidence/fact-names.ts';

test('what only assets tell is read only where sets are built', () => {
  const onDemand = factsFor({ billsNodes: true, buildsSets: false });
  const built = factsFor({ billsNodes: true, buildsSets: true });
  const more = built.filter((name) => !onDemand.includes(name));
  assert.deepEqual(more, ['nodeDisk', 'managementPrice']);
});

test('all labels and versions of nodes are kept only where sets are built', () => {
  for (const [name, label] of [
    ['nodeLabels', 'label_*'],
    ['nodeInfo', 'kubelet_version'],
  ] as const) {
    const kept = [false, true].map((buildsSets) =>
      labelsKept(name, { billsNodes: true, buildsSets }).includes(label),
    );
    assert.deepEqual(kept, [false, true], name);
  }
});

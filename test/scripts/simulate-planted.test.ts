import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulateMonths } from '../support/simulation/machine.ts';
import { isProof } from '../support/sampled.ts';
import { PLANTED } from '../support/simulation/month.ts';

// In a process of its own: it switches off the checks of memory.
test('a month of one seed happens again as it did', async () => {
  const [first, again] = [await once(), await once()];
  assert.deepEqual(again, first);
});

async function once(): Promise<unknown> {
  const { months } = await simulateMonths({ firstSeed: 3, seeds: 1 });
  return [...months];
}

/** What the checks say of each planted break. */
const FOUND: Readonly<Record<(typeof PLANTED)[number], RegExp>> = {
  'a lying disk': /nothing is damaged after a restart/,
  'a sealed day built again': /^seed \d+: .* was sealed, and changed/,
  'a doubled pod': /pods on \d{4}-\d\d-\d\d that nobody has/,
  'a stale tag': /one tag, two bodies/,
  'a believed clock': /is sealed before its samples have come/,
  'an unheard deletion': /what was followed is what is there/,
};

const SEEDS = 5;

for (const planted of PLANTED)
  test(`the simulation finds ${planted}`, async () => {
    const failures: Error[] = [];
    // At the gate the first month that finds it is enough.
    for (let seed = 1; seed <= SEEDS && (isProof || failures.length === 0); seed++)
      failures.push(...(await simulateMonths({ firstSeed: seed, seeds: 1, planted })).failures);
    assert.ok(failures.length > 0, 'no seed finds it');
    for (const { message } of failures) assert.match(message, FOUND[planted]);
  });

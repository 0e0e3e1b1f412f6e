import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measured } from '../support/measured.ts';
import { simulateMonths } from '../support/simulation/machine.ts';
import { PLANTED } from '../support/simulation/month.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 200);

test(`P-SIM, P-C9: ${SEEDS} months of faults lose and double nothing, and change no sealed day`, async (t) => {
  const { months, failures } = await simulateMonths({ firstSeed: 1, seeds: SEEDS });
  assert.deepEqual(
    failures.map(({ message }) => message),
    [],
    'npm run simulate -- --seed N repeats it',
  );
  const all = [...months.values()];
  const [kills = 0, faults = 0, skews = 0, answers = 0] = (
    ['kills', 'faults', 'skews', 'answers'] as const
  ).map((name) => all.reduce((sum, month) => sum + month[name], 0));
  measured(
    t,
    'P-SIM',
    `${months.size} seeds: ${kills} kills, ${faults} other faults, ${answers} answers compared`,
  );
  measured(t, 'P-C9', `${skews} jumps back by a day or a year`);
  assert.ok(
    kills > SEEDS / 5 && faults > SEEDS / 2 && skews > SEEDS / 10 && answers > SEEDS,
    'all kinds happened',
  );
});

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
};

for (const planted of PLANTED)
  test(`the simulation finds ${planted}`, async () => {
    const { failures } = await simulateMonths({ firstSeed: 1, seeds: 5, planted });
    assert.ok(failures.length > 0, 'no seed finds it');
    for (const { message } of failures) assert.match(message, FOUND[planted]);
  });

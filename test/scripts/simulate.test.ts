import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measured } from '../support/measured.ts';
import { simulateMonths } from '../support/simulation/machine.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 200);

test(`P-SIM, P-C9, P-C11: ${SEEDS} months of faults lose and double nothing, and change no sealed day`, async (t) => {
  const { months, failures } = await simulateMonths({ firstSeed: 1, seeds: SEEDS });
  assert.deepEqual(
    failures.map(({ message }) => message),
    [],
    'npm run simulate -- --seed N repeats it',
  );
  const all = [...months.values()];
  const [kills = 0, faults = 0, skews = 0, leaps = 0, answers = 0] = (
    ['kills', 'faults', 'skews', 'leaps', 'answers'] as const
  ).map((name) => all.reduce((sum, month) => sum + month[name], 0));
  measured(
    t,
    'P-SIM',
    `${months.size} seeds: ${kills} kills, ${faults} other faults, ${answers} answers compared`,
  );
  measured(t, 'P-C9', `${skews} jumps back by a day or a year`);
  measured(t, 'P-C11', `${leaps} jumps ahead by 40 minutes, a day or a year`);
  assert.ok(leaps > SEEDS / 10, 'clocks went ahead');
  assert.ok(
    kills > SEEDS / 5 && faults > SEEDS / 2 && skews > SEEDS / 10 && answers > SEEDS,
    'all kinds happened',
  );
});

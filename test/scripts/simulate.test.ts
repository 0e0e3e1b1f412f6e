import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { SimulatedMonths } from '../../scripts/simulate.ts';
import { measured } from '../support/measured.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 20);
/** Months of different seeds have nothing in common: each process has an engine of its own. */
const PROCESSES = 2;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test(`P-SIM, P-C9, P-C11: ${SEEDS} months of faults lose and double nothing, and change no sealed day`, async (t) => {
  const part = Math.ceil(SEEDS / PROCESSES);
  const parts = await Promise.all(
    Array.from({ length: PROCESSES }, (_, i) =>
      simulated(1 + i * part, Math.min(part, SEEDS - i * part)),
    ),
  );
  assert.deepEqual(
    parts.flatMap(({ failures }) => failures),
    [],
    'npm run simulate -- --seed N repeats it',
  );
  const all = parts.flatMap(({ months }) => months);
  assert.equal(all.length, SEEDS);
  const [kills = 0, faults = 0, skews = 0, leaps = 0, answers = 0] = (
    ['kills', 'faults', 'skews', 'leaps', 'answers'] as const
  ).map((name) => all.reduce((sum, month) => sum + month[name], 0));
  measured(
    t,
    'P-SIM',
    `${all.length} seeds: ${kills} kills, ${faults} other faults, ${answers} answers compared`,
  );
  measured(t, 'P-C9', `${skews} jumps back by a day or a year`);
  measured(t, 'P-C11', `${leaps} jumps ahead by 40 minutes, a day or a year`);
  assert.ok(leaps > SEEDS / 10, 'clocks went ahead');
  assert.ok(
    kills > SEEDS / 5 && faults > SEEDS / 2 && skews > SEEDS / 10 && answers > SEEDS,
    'all kinds happened',
  );
});

/** Outside the process of the test, as the test runner follows every promise of its own one. */
async function simulated(firstSeed: number, seeds: number): Promise<SimulatedMonths> {
  const own = ['--import', 'tsx', 'scripts/simulate.ts', '--json'];
  const child = spawn(process.execPath, [...own, `--seed=${firstSeed}`, `--seeds=${seeds}`], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = await text(child.stdout);
  assert.ok(said.startsWith('{'), `a simulation ended without months: ${said}`);
  return JSON.parse(said) as SimulatedMonths;
}

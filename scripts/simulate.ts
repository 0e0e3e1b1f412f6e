/**
 * Months of a server from seeds: its clock, disk, metrics store and clients fail at random, and everything
 * that was acknowledged must be there, sealed days unchanged, costs those of a plain reference. Prints the
 * seeds that fail; the same seed fails again in the same way. The exit code is 1 where one did.
 *
 *   npm run simulate -- --seeds 1000 --seed 1
 *   npm run simulate -- --seed 17 --planted 'a lying disk'
 *
 * With --json it prints one line, `SimulatedMonths`.
 */
import { parseArgs } from 'node:util';
import { simulateMonths } from '../test/support/simulation/machine.ts';
import { isPlanted, PLANTED, type Month } from '../test/support/simulation/month.ts';

export interface SimulatedMonths {
  readonly months: readonly Month[];
  /** What failed, each with its seed. */
  readonly failures: readonly string[];
}

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    planted: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const [seeds, firstSeed] = [values.seeds, values.seed].map(Number);
const { planted } = values;
if (planted !== undefined && !isPlanted(planted))
  throw new Error(`--planted: '${planted}' is not one of ${PLANTED.join(', ')}`);
if (!(Number.isSafeInteger(seeds) && Number.isSafeInteger(firstSeed)))
  throw new Error('--seeds and --seed are whole numbers');

const beganMs = performance.now();
const { months, failures } = await simulateMonths({
  firstSeed: firstSeed ?? 1,
  seeds: seeds ?? 1,
  ...(planted === undefined ? {} : { planted }),
  onMonth: (_seed, outcome) => {
    if (outcome instanceof Error && !values.json) process.stdout.write(`${outcome.message}\n`);
  },
});
const all = [...months.values()];
const sum = (of: (month: (typeof all)[number]) => number): number =>
  all.reduce((total, month) => total + of(month), 0);
const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
const told: SimulatedMonths = { months: all, failures: failures.map(({ message }) => message) };
process.stdout.write(
  values.json
    ? `${JSON.stringify(told)}\n`
    : `${months.size} months held, ${failures.length} failed, in ${seconds} s: ${sum(({ turns }) => turns)} turns, ` +
        `${sum(({ kills }) => kills)} kills, ${sum(({ faults }) => faults)} other faults, ${sum(({ answers }) => answers)} answers compared\n`,
);
if (failures.length > 0) process.exitCode = 1;

/**
 * `npm run simulate`: months of a server from seeds: its clock, disk, metrics store and clients fail at random, and everything
 * that was acknowledged must be there, sealed days unchanged, costs those of a plain reference. Prints the
 * seeds that fail; the same seed fails again in the same way. The exit code is 1 where one did.
 */
import { simulateMonths } from '../test/support/simulation/machine.ts';
import type { Month } from '../test/support/simulation/month.ts';
import { commandLine } from './commands.ts';

export interface SimulatedMonths {
  readonly months: readonly Month[];
  /** What failed, each with its seed. */
  readonly failures: readonly string[];
}

const { values } = commandLine('simulate');
const { seeds, seed: firstSeed, planted } = values;

const printed = new Set<Error>();
const print = (failure: Error): void => {
  if (values.json || printed.has(failure)) return;
  printed.add(failure);
  process.stdout.write(`${failure.message}\n`);
};
const beganMs = performance.now();
const { months, failures } = await simulateMonths({
  firstSeed,
  seeds,
  ...(planted === undefined ? {} : { planted }),
  onMonth: (_seed, outcome) => {
    if (outcome instanceof Error) print(outcome);
  },
});
// What is held after all months is of none of them.
for (const failure of failures) print(failure);
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

/** The engine of simulated months, which take turns on it: starting its workers takes as long as a month. */
import { startEngine } from '../../../src/server/engine.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import type { Machine } from './process.ts';
import { simulateMonth, type Month, type Planted } from './month.ts';

/** One waits for the disk while another computes. */
const AT_ONCE = 3;

export interface Months {
  /** By seed, in their order. */
  readonly months: ReadonlyMap<number, Month>;
  readonly failures: readonly Error[];
}

export interface MonthsOptions {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly planted?: Planted;
  readonly onMonth?: (seed: number, outcome: Month | Error) => void;
}

/** Simulates a month of each seed. */
export async function simulateMonths(options: MonthsOptions): Promise<Months> {
  const { config } = loadConfig(['--workers=1', '--memory-limit=300Mi'], {}, () => '');
  const none = (): undefined => undefined;
  const engine = await startEngine(config, { info: none, error: none });
  try {
    return await onMachine({ engine, config }, options);
  } finally {
    await engine.close();
  }
}

async function onMachine(
  machine: Machine,
  { firstSeed, seeds, planted, onMonth }: MonthsOptions,
): Promise<Months> {
  const months = new Map<number, Month>();
  const failures: Error[] = [];
  const left = Array.from({ length: seeds }, (_, i) => firstSeed + i).values();
  const lane = async (): Promise<void> => {
    for (const seed of left) {
      try {
        const month = await simulateMonth(machine, seed, planted);
        months.set(seed, month);
        onMonth?.(seed, month);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        failures.push(error);
        onMonth?.(seed, error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { months, failures };
}

/** The engine of simulated months, which take turns on it: starting its workers takes as long as a month. */
import { startEngine } from '../../../src/server/engine.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import type { Machine } from './process.ts';
import { simulateMonth, type Month, type Planted } from './month.ts';

/** One waits for the disk while another computes. */
const AT_ONCE = 3;
/** Workers make tables of their own when they first need them; whatever each month left would be more. */
const HELD_BYTES_MAX = 4 << 20;

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

/**
 * Simulates a month of each seed. Memory is not checked, as that doubles what small columns take, and the months
 * of several seeds are on one engine.
 */
export async function simulateMonths(options: MonthsOptions): Promise<Months> {
  // Where the setting is not on, the environment has the last word.
  process.env['CHECK_MEMORY'] = 'false';
  const { config } = loadConfig(['--workers=1', '--memory-limit=1Gi'], {}, () => '');
  const none = (): undefined => undefined;
  const engine = await startEngine(config, { info: none, error: none });
  try {
    const { arena } = engine.compute;
    const beforeBytes = arena.usedBytes;
    const months = await onMachine({ engine, config }, options);
    const heldBytes = arena.usedBytes - beforeBytes;
    if (heldBytes <= HELD_BYTES_MAX) return months;
    const held = new Error(`${heldBytes} bytes are held after all months`);
    return { ...months, failures: [...months.failures, held] };
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

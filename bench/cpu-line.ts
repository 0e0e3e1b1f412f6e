/** The CPU time that tasks take in processes that work for them. */
import type { BenchOptions, Task } from './harness.ts';
import { cpuMs } from './process-figures.ts';

const ROUNDS = 7;

/** CPU time of the processes together, the least of some runs: what a busy machine alters least. */
export async function cpuLine(
  tasks: readonly Task[],
  pids: readonly number[],
  options: BenchOptions,
): Promise<string> {
  const total = (): number => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
  const rounds = options.isSmoke ? 1 : ROUNDS;
  const leastMs = tasks.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    for (const [i, task] of tasks.entries()) {
      const before = total();
      await task.run();
      leastMs[i] = Math.min(leastMs[i] ?? Infinity, total() - before);
    }
  }
  const [first = NaN] = leastMs;
  const each = leastMs.map((ms) => `${ms.toFixed(0)} ms (${(ms / first).toFixed(2)}×)`);
  return `CPU time of all processes, in the order of the tasks: ${each.join(', ')}\n`;
}

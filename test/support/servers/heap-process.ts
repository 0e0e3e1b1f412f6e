/**
 * Runs one task in a pool of one worker with little heap, and then another: for what could end the
 * process. Writes what came of both as JSON.
 */
import { createPool } from '../../../src/pool/index.ts';
import type { PoolTasks } from './pool-tasks.ts';

const MIB = 2 ** 20;

const [task] = process.argv.slice(2) as ['exhaust' | 'name' | 'waste'];
const errors: string[] = [];
const pool = await createPool<PoolTasks>({
  entry: new URL('pool-entry.js', import.meta.url),
  threads: 1,
  heapBytes: 40 * MIB,
  // Sources that a loader reads take more than a bundle: 16 MiB were just too few.
  ownBytes: 18 * MIB,
  // Objects that are young move to the old ones at once: more than Node's last 16 MiB could not.
  youngBytes: 4 * MIB,
  workerData: {},
  onError: ({ message }) => void errors.push(message),
});
const { signal } = new AbortController();
const first = await pool
  .run(task, null, signal)
  .catch(({ name, message }: Error) => ({ name, message }));
const next = await pool.run('echo', 'still here', signal);
process.stdout.write(JSON.stringify({ first, errors: errors.length, next }));
await pool.close();

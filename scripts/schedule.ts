/**
 * Runs the jobs of the gate: the longest first, as many at once as keep the cores busy.
 *
 * A job that mostly waits for a server, a store or a timer occupies a fraction of a core, so that several
 * of these run beside jobs that compute:
 *
 *   cores 0 … n   │ types     │ formats/streamed │ unit tests 1 │ …      load 1 each
 *   waiting       │ doctor │ replicas │ kills │ leases │ …             load 0.3 each
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, freemem } from 'node:os';
import { join } from 'node:path';

/** Expected time of a job, in seconds, and the number of cores that it keeps busy meanwhile. */
export interface Expected {
  readonly seconds: number;
  readonly cores: number;
}

export interface Job {
  readonly expected: Expected;
  readonly run: () => Promise<void>;
}

export interface Limits {
  /** Sum of the cores of jobs that run at the same time. */
  readonly cores: number;
  readonly processes: number;
  /** Free memory, in bytes, below which no further job starts while another runs. */
  readonly freeBytes: number;
}

const GIB = 2 ** 30;

/** Half a core more than there are, as no job keeps a core busy all the time. */
export function usualLimits(cores: number = availableParallelism()): Limits {
  return { cores: cores + 0.5, processes: 2 * cores + 2, freeBytes: 2 * GIB };
}

/**
 * @param jobs run in the order of their expected time, longest first; a job that does not fit is passed by shorter ones
 * @throws the first error of a job, after all jobs that run have ended; no further job starts
 */
export async function runJobs(
  jobs: readonly Job[],
  limits: Limits,
  freeBytes: () => number = freemem,
): Promise<void> {
  const waiting = jobs.toSorted((a, b) => b.expected.seconds - a.expected.seconds);
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  let cores = 0;
  const start = (job: Job): void => {
    cores += job.expected.cores;
    const ended = job
      .run()
      .catch((error: unknown) => void errors.push(error))
      .finally(() => {
        cores -= job.expected.cores;
        running.delete(ended);
      });
    running.add(ended);
  };
  const next = (): Job | undefined => {
    if (running.size === 0) return waiting.shift();
    if (running.size >= limits.processes || freeBytes() < limits.freeBytes) return undefined;
    const at = waiting.findIndex(({ expected }) => cores + expected.cores <= limits.cores);
    return at < 0 ? undefined : waiting.splice(at, 1)[0];
  };
  while (errors.length === 0) {
    for (let job = next(); job !== undefined; job = next()) start(job);
    if (running.size === 0) return;
    await Promise.race(running);
  }
  await Promise.all(running);
  throw errors[0];
}

/** Most jobs are short. */
const UNKNOWN: Expected = { seconds: 1, cores: 1 };
/** A shorter file is not listed. */
const LISTED_SECONDS_MIN = 0.5;
/** Measured beside others, which slow it down: with less than this a job waits most of its time. */
const WAITING_CORES_MAX = 0.5;

/** Expected time and cores by test file, as a run of the gate recorded them: `test/durations.json`. */
export class Durations {
  readonly #path: string;
  readonly #known: ReadonlyMap<string, Expected>;

  constructor(root: string) {
    this.#path = join(root, 'test/durations.json');
    const text = existsSync(this.#path) ? readFileSync(this.#path, 'utf8') : '{}';
    const rows = Object.entries(JSON.parse(text) as Record<string, readonly [number, number]>);
    this.#known = new Map(rows.map(([path, [seconds, cores]]) => [path, { seconds, cores }]));
  }

  /** @param path from the root */
  of(path: string): Expected {
    const { seconds, cores } = this.#known.get(path) ?? UNKNOWN;
    return { seconds, cores: cores < WAITING_CORES_MAX ? 0.3 : Math.max(1, cores) };
  }

  record(measured: ReadonlyMap<string, Expected>): void {
    const rows = [...measured]
      .filter(([, { seconds }]) => seconds >= LISTED_SECONDS_MIN)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([path, { seconds, cores }]) =>
          `  ${JSON.stringify(path)}: [${seconds.toFixed(1)}, ${cores.toFixed(1)}]`,
      );
    writeFileSync(this.#path, `{\n${rows.join(',\n')}\n}\n`);
  }
}

/** Measures how busy the cores of the machine are, whoever uses them. */
export class CoresBusy {
  readonly #atStart = coreTimes();

  /** Share of the time since the start in which a core was busy, 0 to 1. */
  get share(): number {
    const { busyMs, allMs } = coreTimes();
    return (busyMs - this.#atStart.busyMs) / Math.max(1, allMs - this.#atStart.allMs);
  }
}

function coreTimes(): { readonly busyMs: number; readonly allMs: number } {
  let [busyMs, allMs] = [0, 0];
  for (const { times } of cpus()) {
    const ms = times.user + times.nice + times.sys + times.irq;
    busyMs += ms;
    allMs += ms + times.idle;
  }
  return { busyMs, allMs };
}

/**
 * Threads that share out the units of a job among themselves, woken and awaited through shared
 * memory: [call, job, next unit, threads done], i32 each.
 */
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { typescriptWorker } from '../test/support/servers/typescript-worker.ts';

const CALL = 0;
const JOB = 1;
const NEXT = 2;
const DONE = 3;
const STOP = -1;

export class Crew {
  readonly #control: Int32Array = new Int32Array(new SharedArrayBuffer(16));
  readonly #workers: readonly Worker[];

  /** @param entry a module that calls `serve` with the `control` in its workerData */
  constructor(threads: number, entry: URL, workerData: object) {
    const data = { ...workerData, control: this.#control };
    this.#workers = Array.from({ length: threads }, () => typescriptWorker(entry, data));
  }

  /** Resolves when every thread waits for work. */
  async ready(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => once(worker, 'message')));
  }

  /** Blocks until all units of `job` are done. */
  run(job: number): void {
    this.#call(job);
    for (;;) {
      const done = Atomics.load(this.#control, DONE);
      if (done === this.#workers.length) return;
      Atomics.wait(this.#control, DONE, done);
    }
  }

  async close(): Promise<void> {
    const exits = this.#workers.map((worker) => once(worker, 'exit'));
    this.#call(STOP);
    await Promise.all(exits);
  }

  #call(job: number): void {
    this.#control.set([job, 0, 0], JOB);
    Atomics.add(this.#control, CALL, 1);
    Atomics.notify(this.#control, CALL);
  }
}

/** A thread's life: takes units of the job that is called, until it is told to stop. */
export function serve(
  control: Int32Array,
  unitsOf: (job: number) => number,
  work: (job: number, unit: number) => void,
): void {
  for (let calls = 0; ; calls++) {
    Atomics.wait(control, CALL, calls);
    const job = Atomics.load(control, JOB);
    if (job === STOP) return;
    const units = unitsOf(job);
    for (let unit = take(control); unit < units; unit = take(control)) work(job, unit);
    Atomics.add(control, DONE, 1);
    Atomics.notify(control, DONE);
  }
}

function take(control: Int32Array): number {
  return Atomics.add(control, NEXT, 1);
}

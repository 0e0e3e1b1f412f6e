/** What the kernel counts of a process (proc(5)). */
import { readdirSync, readFileSync } from 'node:fs';

/** The most that was resident since it began, in bytes. */
export function peakBytes(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return 1024 * Number(kilobytes);
}

/** Time that its living threads were running, in ms: unlike the time that passed, theirs alone. */
export function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return sum + Number(nanoseconds) / 1e6;
  }, 0);
}

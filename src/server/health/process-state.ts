/** The process itself: memory, descriptors, processor, and how late its main thread is. */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { counter, gauge, type Family } from '../../export/index.ts';

/** How often the main thread is looked at; it is late by what exceeds this. */
const RESOLUTION_MS = 20;
/** Delays are those of the last whole period, before its end those so far. */
const PERIOD_MS = 60_000;
const DELAYS = [
  ['p50', 0.5],
  ['p99', 0.99],
  ['max', 1],
] as const;

export interface ProcessState {
  families(): Promise<Family[]>;
  close(): void;
}

export function watchProcess(): ProcessState {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const now = (): Family[] =>
    DELAYS.map(([name, quantile]) => {
      const ns = quantile === 1 ? delays.max : delays.percentile(quantile * 100);
      const seconds = Math.max(0, ns / 1e6 - RESOLUTION_MS) / 1000;
      const help = `How late the main thread was within the last minute: ${name}.`;
      return gauge(`prorata_event_loop_delay_${name}_seconds`, help, seconds);
    });
  let last: ReturnType<typeof now> | undefined;
  const timer = setInterval(() => {
    last = now();
    delays.reset();
  }, PERIOD_MS).unref();
  const startSeconds = Date.now() / 1000 - process.uptime();
  return {
    async families() {
      const { user, system } = process.cpuUsage();
      const open = await openDescriptors();
      return [
        ...(last ?? now()),
        ...residentMemory(),
        counter('process_cpu_seconds_total', 'Processor time of all threads.', (user + system) / 1e6),
        gauge('process_start_time_seconds', 'When the process began, Unix time.', startSeconds),
        ...(open === undefined ? [] : [gauge('process_open_fds', 'Open descriptors.', open)]),
        gauge('process_max_fds', 'The most descriptors that may be open.', descriptorLimit()),
      ]; // prettier-ignore
    },
    close() {
      clearInterval(timer);
      delays.disable();
    },
  };
}

/** Node asks the system by a file, and throws where no descriptor is left. */
function residentMemory(): Family[] {
  try {
    return [gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss())];
  } catch {
    return [];
  }
}

/** Undefined where the system does not tell, or none is left to ask with. */
export async function openDescriptors(): Promise<number | undefined> {
  try {
    return (await readdir('/proc/self/fd')).length;
  } catch {
    return undefined;
  }
}

/** The soft limit; Infinity where there is none or the system does not tell. */
export function descriptorLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}

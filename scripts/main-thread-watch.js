// Tells how long the main thread worked without turning to others: loaded into a server by
// `NODE_OPTIONS=--import`, by which it writes a line of JSON to the descriptor WATCH_FD for each turn
// of its event loop that took WATCH_MS or more. Processor time counts, as the kernel has it for the
// thread: what waits for a processor has not worked.
import { openSync, readSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const [fd, leastMs] = [Number(process.env.WATCH_FD), Number(process.env.WATCH_MS)];
// Not for the processes that this one starts.
delete process.env.NODE_OPTIONS;
if (isMainThread && fd > 0) watch(openSync(`/proc/self/task/${process.pid}/schedstat`, 'r'));

/** @param {number} schedstat */
function watch(schedstat) {
  const bytes = Buffer.alloc(64);
  const cpuMs = () =>
    Number(bytes.latin1Slice(0, readSync(schedstat, bytes, 0, 64, 0)).split(' ')[0]) / 1e6;
  let [cpu, at] = [cpuMs(), Date.now()];
  // Once a turn at most, as timers are.
  setInterval(() => {
    const [cpuNow, now] = [cpuMs(), Date.now()];
    // The kernel adds up in ticks of some milliseconds.
    const busyMs = Math.min(cpuNow - cpu, now - at);
    if (busyMs >= leastMs) writeSync(fd, `${JSON.stringify({ busyMs, fromMs: at, toMs: now })}\n`);
    [cpu, at] = [cpuNow, now];
  }, 1).unref();
}

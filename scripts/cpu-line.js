// Part of each bundled test file: as its process ends, appends a line of JSON to the file at TEST_COSTS with
// the CPU time of the process and of the children that it waited for, in seconds. Plain JavaScript, as it
// is loaded so often.
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const TICKS_PER_SECOND = 100;
const costs = process.env.TEST_COSTS;

// Servers that a test starts from its own bundle have another file.
if (costs !== undefined && isMainThread && process.env.NODE_TEST_CONTEXT !== undefined) {
  process.once('exit', () => {
    const line = { file: process.argv[1], cpuSeconds: cpuSeconds() };
    appendFileSync(costs, `${JSON.stringify(line)}\n`);
  });
}

function cpuSeconds() {
  try {
    // proc(5): fields 14 to 17 are utime, stime, cutime, cstime; the name in field 2 may hold spaces.
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0) / TICKS_PER_SECOND;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

// Appends a line `METHOD /path name` to the file PARAMETERS_READ for each parameter that a route reads, the first time that
// it does: loaded into a server by `NODE_OPTIONS=--import`.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.PARAMETERS_READ;
const told = new Set();
// Not for the processes that this one starts.
delete process.env.NODE_OPTIONS;
if (isMainThread && file !== undefined) {
  subscribe('prorata.parameter-read', (read) => {
    const line = `${read.join(' ')}\n`;
    if (told.has(line)) return;
    told.add(line);
    appendFileSync(file, line);
  });
}

/**
 * Loaded before a program (`node --import`), whose time then stands still until its parent moves it:
 * `Date`, `performance.now` and timers are the parent's, and nothing of the program is changed.
 *
 *     parent ─ { toMs, runs: true } ─► the time is set, timers that are due run, and what they begin is
 *            ◄─ when it has to do next  waited for: calls, files, what comes over sockets
 *
 * Plain JavaScript, as Node 20 loads no TypeScript before a program.
 */
import { subscribe } from 'node:diagnostics_channel';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);
const soon = setImmediate;
/** Turns of the event loop without any news before all is taken to be done. */
const QUIET_TURNS = 4;

let nowMs = Number(process.env['DRIVEN_CLOCK_MS']);
const startMs = nowMs;
const timers = new Set();

class DrivenTimer {
  constructor(run, delayMs, isRepeated) {
    const ms = Number(delayMs);
    this.delayMs = ms >= 1 && ms < 2 ** 31 ? Math.trunc(ms) : 1;
    this.run = run;
    this.isRepeated = isRepeated;
    this.refresh();
  }

  refresh() {
    this.atMs = nowMs + this.delayMs;
    timers.add(this);
    return this;
  }

  close() {
    timers.delete(this);
    return this;
  }

  ref() {
    return this;
  }

  unref() {
    return this;
  }

  hasRef() {
    return true;
  }

  [Symbol.toPrimitive]() {
    ids.set((this.id ??= ++lastId), this);
    return this.id;
  }
}

const ids = new Map();
let lastId = 0;

function clear(timer) {
  const found = typeof timer === 'object' ? timer : ids.get(Number(timer));
  if (found instanceof DrivenTimer) found.close();
}

function driven(isRepeated) {
  return (callback, delayMs, ...args) =>
    new DrivenTimer(() => callback(...args), delayMs, isRepeated);
}

const setDriven = driven(false);

/** `setTimeout` of node:timers/promises. */
function sleep(delayMs, value, { signal } = {}) {
  return new Promise((resolve, reject) => {
    const abort = () => {
      timer.close();
      const error = new Error('The operation was aborted', { cause: signal?.reason });
      reject(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }));
    };
    const timer = setDriven(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    }, delayMs);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

setDriven[promisify.custom] = sleep;
const replaced = {
  setTimeout: setDriven,
  setInterval: driven(true),
  clearTimeout: clear,
  clearInterval: clear,
};
Object.assign(globalThis, replaced);
Object.assign(require('node:timers'), replaced);
require('node:timers/promises').setTimeout = sleep;
syncBuiltinESMExports();

const RealDate = Date;
globalThis.Date = class Date extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [nowMs] : args));
  }

  static now() {
    return nowMs;
  }
};
Object.defineProperty(performance, 'now', { value: () => nowMs - startMs });

/** Calls whose answers are still to come. Watches have no end. */
const calls = new Set();
const sockets = new Set();
let isWaiting = () => undefined;

function begin(call) {
  calls.add(call);
}

function end(call) {
  if (calls.delete(call) && calls.size === 0) isWaiting();
}

subscribe('http.client.request.start', ({ request }) => {
  request.once('socket', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  if (request.path.includes('watch=true')) return;
  begin(request);
  request.once('close', () => end(request));
});
subscribe('undici:request:create', ({ request }) => begin(request));
subscribe('undici:request:trailers', ({ request }) => end(request));
subscribe('undici:request:error', ({ request }) => end(request));

/** A server said that it will not answer over this connection. */
function forget({ port, localPort }) {
  for (const call of calls) {
    const socket = call.socket;
    if (socket?.remotePort === port && socket.localPort === localPort) end(call);
  }
}

function runDue() {
  const due = [...timers].filter(({ atMs }) => atMs <= nowMs).toSorted((a, b) => a.atMs - b.atMs);
  for (const timer of due) {
    if (!timers.has(timer)) continue;
    if (timer.isRepeated) timer.refresh();
    else timer.close();
    timer.run();
  }
  return due.length > 0;
}

/** @param runs whether timers that become due run meanwhile */
async function quiet(runs) {
  let moved = NaN;
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await new Promise((resolve) => soon(resolve));
    if (calls.size > 0) await new Promise((resolve) => (isWaiting = resolve));
    let bytes = 0;
    for (const socket of sockets) bytes += socket.bytesRead + socket.bytesWritten;
    const hasFiles = process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
    const ran = runs && runDue();
    if (ran || hasFiles || bytes !== moved || calls.size > 0) turns = -1;
    moved = bytes;
  }
}

function nextMs() {
  let earliestMs = Infinity;
  for (const { atMs } of timers) earliestMs = Math.min(earliestMs, atMs);
  return earliestMs;
}

process.on('message', ({ toMs, runs, forgotten, tells }) => {
  if (forgotten !== undefined) forget(forgotten);
  else if (tells) process.send(figures());
  else void moveTo(toMs, runs);
});

async function moveTo(toMs, runs) {
  nowMs = toMs;
  if (runs) {
    // What came over sockets is seen before timers that are due run.
    await quiet(false);
    await quiet(true);
  }
  process.send(nextMs());
}

/** The most is that of its whole life. */
function figures() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
  const rssBytes = process.memoryUsage.rss();
  return { rssBytes, highestBytes: Math.max(rssBytes, maxRSS * 1024), cpuSeconds };
}

// Asks /healthz again and again from a process of its own, until its standard input ends; then tells
// what answers took: {"count","failed","p50Ms","p99Ms","mostMs","bareP99Ms"}. In between it asks a bare
// server, in a process of its own as well: what that takes is the machine's part.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const EVERY_MS = 10;
const [url = ''] = process.argv.slice(2);

if (url === 'bare') serveBare();
else await poll(url);

/** Ends with whoever started it. */
function serveBare() {
  const server = createServer((_, response) => response.end('{"status":"ok"}'));
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
  process.stdin.resume().on('end', () => process.exit());
}

/** @param {string} server */
async function poll(server) {
  const bare = spawn(process.execPath, [fileURLToPath(import.meta.url), 'bare'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(bare.stdout, 'data');
  const agent = new Agent({ keepAlive: true });
  const [tookMs, bareMs] = [[], []];
  let [failed, isOver] = [0, false];
  process.stdin.resume().on('end', () => (isOver = true));
  while (!isOver) {
    if (!(await timed(`${server}/healthz`, agent, tookMs))) failed++;
    await timed(`http://127.0.0.1:${Number(port)}/`, agent, bareMs);
    await sleep(EVERY_MS);
  }
  const told = {
    count: tookMs.length,
    failed,
    p50Ms: at(tookMs, 0.5),
    p99Ms: at(tookMs, 0.99),
    mostMs: at(tookMs, 1),
    bareP99Ms: at(bareMs, 0.99),
  };
  process.stdout.write(`${JSON.stringify(told)}\n`);
  agent.destroy();
  bare.stdin.end();
}

/**
 * @param {string} address
 * @param {Agent} agent
 * @param {number[]} all is added to
 */
async function timed(address, agent, all) {
  const fromMs = performance.now();
  const isWell = await asked(address, agent).catch(() => false);
  if (isWell) all.push(performance.now() - fromMs);
  return isWell;
}

/**
 * @param {string} address
 * @param {Agent} agent
 */
function asked(address, agent) {
  return new Promise((resolve, reject) => {
    get(address, { agent, timeout: 10_000 }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200));
    }).on('error', reject);
  });
}

/**
 * @param {number[]} all
 * @param {number} share
 */
function at(all, share) {
  const sorted = all.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}

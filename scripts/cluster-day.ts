/**
 * A day of a simulated cluster: its API server and kubelets, `prorata agent` and `prorata serve --receive`,
 * all over HTTP. What is counted is compared with the closed form of the cluster's plan; then the agent
 * reads the same cluster at the real time, with pages as long as real ones. The exit code is 1 where a
 * number is not what it must be.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Comparison, Greatest } from '../test/support/clusters/comparison.ts';
import { CountedCluster } from '../test/support/clusters/counted-cluster.ts';
import { planOf } from '../test/support/clusters/random-plan.ts';
import { watchAgent } from '../test/support/clusters/watched-agent.ts';
import { startProrata } from '../test/support/servers/prorata.ts';
import { commandLine } from './commands.ts';
import { Seeded } from './seeded.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MIB = 2 ** 20;
/** What the agent may take. */
const MOST = { bytes: 150e6, cores: 0.1 };

const { values } = commandLine('cluster-day');
const { nodes, pods, hours, interval, step, seed, real } = values;

let isRight = true;
/** After an interrupt, what was run so far is counted. */
let isEnough = false;
process.once('SIGINT', () => (isEnough = true));
const tell = (what: string, figure: string, isFine: boolean = true): void => {
  isRight &&= isFine;
  process.stdout.write(`${isFine ? ' ' : '!'} ${what.padEnd(44)} ${figure}\n`);
};

if (hours > 0) await countDay();
if (real > 0) await measureAgent();
process.exitCode = isRight ? 0 : 1;

async function countDay(): Promise<void> {
  // What is told after the end is in the past of the server, too.
  const endMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 3 * interval * 1000;
  const startMs = endMs - hours * HOUR_MS;
  const plan = planOf(new Seeded(seed), { startMs, endMs, nodes, pods, restless: 0.2 });
  const home = mkdtempSync(join(tmpdir(), 'prorata-cluster-day-'));
  const flags = ['--receive=true', `--data-dir=${home}`, '--out-of-order=3d', '--receive-rate=0'];
  const server = await startProrata(flags);
  const counted = await CountedCluster.start({
    plan,
    serverUrl: server.url,
    intervalMs: interval * 1000,
    stepMs: step,
    ...(values.faults ? { faultsMs: startMs + (hours * HOUR_MS) / 2 } : {}),
  });
  const beganMs = performance.now();
  const before = await counted.agent.figures();
  let atMs = startMs;
  while (atMs < endMs && !isEnough) {
    atMs = Math.min(endMs, atMs + HOUR_MS);
    await counted.run(atMs);
    process.stderr.write(`${new Date(atMs).toISOString()} ${seconds(beganMs)}\n`);
  }
  await counted.run(atMs + 2 * interval * 1000);
  const after = await counted.agent.figures();
  const calls = counted.cluster.kubelets.calls.length;
  tell(
    'nodes, pods at once, lives, hours',
    [nodes, pods, plan.pods.length, (atMs - startMs) / HOUR_MS].join(', '),
  );
  tell('pages of kubelets, in fast time', `${calls} in ${seconds(beganMs)}`);
  tell('agent in fast time: most memory', mebibytes(after.highestBytes));
  tell('agent in fast time: CPU', `${(after.cpuSeconds - before.cpuSeconds).toFixed(1)} s`);
  await tellReceiver(server.url);
  const askedMs = performance.now();
  const comparison = await counted.compare(startMs + 15 * MINUTE_MS, atMs, values.faults);
  tell('query of the day, with its comparison', seconds(askedMs));
  tellComparison(comparison);
  await counted.stop();
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}

function tellComparison({ rows, missing, exact, sampled }: Comparison): void {
  tell('rows compared', String(rows));
  tell('rows that one side lacks', missing.slice(0, 5).join(' ') || '0', missing.length === 0);
  for (const [name, greatest] of Object.entries(exact))
    tellGreatest(`${name}: off by`, greatest, greatest.value.toExponential(1));
  for (const [name, greatest] of Object.entries(sampled))
    tellGreatest(`${name}: greatest share of its bound`, greatest, greatest.value.toFixed(3));
}

/** One row that is wrong is not to be taken for many. */
function tellGreatest(what: string, { row, beyond }: Greatest, figure: string): void {
  const wrong = beyond === 0 ? '' : `; ${beyond} rows differ by more than they may`;
  tell(what, `${figure} (${row})${wrong}`, beyond === 0);
}

/** What the receiver tells of itself. */
async function tellReceiver(url: string): Promise<void> {
  const text = await (await fetch(`${url}/metrics`)).text();
  for (const [, name = '', value = ''] of text.matchAll(/^(prorata_receive\S*) (\S+)$/gm))
    tell(name, value);
}

async function measureAgent(): Promise<void> {
  const startMs = Math.floor(Date.now() / 1000) * 1000;
  const size = { startMs, endMs: startMs + 2 * HOUR_MS, nodes, pods, restless: 0.02 };
  const plan = planOf(new Seeded(seed), size);
  const intervalMs = Math.min(interval, 60) * 1000;
  const figures = await watchAgent({ plan, intervalMs, forMs: real * 1000, furtherMetrics: 60 });
  tell('agent in real time: interval', `${intervalMs / 1000} s`);
  tell('agent in real time: memory', mebibytes(figures.rssBytes), figures.rssBytes <= MOST.bytes);
  tell('agent in real time: most memory', mebibytes(figures.highestBytes));
  tell('agent in real time: cores', figures.cores.toFixed(3), figures.cores <= MOST.cores);
  tell('agent in real time: bytes of pages a minute', mebibytes(figures.pageBytesPerMinute));
}

function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}

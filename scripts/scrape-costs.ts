/**
 * Costs in `/metrics` of a load that changes, scraped by a real Prometheus each second: every quarter of a minute what
 * the scraped series say is held against what the API says of the same five minutes. Ends with 1 where they differ by
 * more than a hundredth.
 */
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COST_OF_HOUR, exportLive, liveSeries, pastOf, swinging } from '../test/support/fleets/live-fleet.ts'; // prettier-ignore
import { startServerProcess, type ServerProcess } from '../test/support/servers/server-process.ts';
import { startPrometheus, type Prometheus } from '../test/support/stores/prometheus.ts';
import { writeSeries } from '../test/support/stores/series-file.ts';
import { commandLine } from './commands.ts';

const { values } = commandLine('scrape-costs');

const PERIOD_MS = 7 * 60_000;
const EVERY_MS = 15_000;
/** Series are averages of five minutes that end a minute before they are computed. */
const [FROM_MS, TO_MS] = [6 * 60_000, 60_000];
const OFF_MOST = 0.01;
const PRICES = 'prices:\n  cpuCoreHour: 0.03\n  ramGiBHour: 0.004\n  gpuHour: 1\n';

interface Row {
  readonly cpuCost: number;
  readonly ramCost: number;
  readonly gpuCost: number;
}

/** USD an hour. */
async function scrapedAt(store: Prometheus, ms: number): Promise<number> {
  const query = `query=${encodeURIComponent(COST_OF_HOUR)}&time=${ms / 1000}`;
  const reply = await fetch(`${store.url}/api/v1/query?${query}`);
  const { data } = (await reply.json()) as { data: { result: { value: [number, string] }[] } };
  return Number(data.result[0]?.value[1]);
}

/** USD an hour of the five minutes that series of that moment are of. */
async function computedAt(server: ServerProcess, ms: number): Promise<number> {
  const [start, end] = [ms - FROM_MS, ms - TO_MS].map((at) => new Date(at).toISOString());
  const window = encodeURIComponent(`${start},${end}`);
  const url = `${server.url}/model/allocation/compute?window=${window}&resolution=exact`;
  const { data } = (await (await fetch(url)).json()) as { data: Record<string, Row>[] };
  const usd = Object.values(data[0] ?? {}).reduce(
    (sum, { cpuCost, ramCost, gpuCost }) => sum + cpuCost + ramCost + gpuCost,
    0,
  );
  return usd / ((FROM_MS - TO_MS) / 3_600_000);
}

async function run(home: string, minutes: number): Promise<number> {
  const targets = join(home, 'targets');
  await mkdir(targets);
  const nowMs = Math.floor(Date.now() / 1000) * 1000;
  const series = swinging(liveSeries(nowMs), PERIOD_MS);
  const file = join(home, 'live.om');
  await writeSeries(file, pastOf(series, nowMs));
  const live = await exportLive(series);
  const store = await startPrometheus({ blocksFrom: [file], targetsFolder: targets });
  const config = join(home, 'config.yaml');
  await writeFile(config, PRICES);
  const flags = [`--config=${config}`, `--metrics-url=${store.url}`, '--refresh=0', '--workers=1'];
  const server = await startServerProcess([...flags, '--cost-metrics-interval=1s']);
  const list = [{ targets: [`127.0.0.1:${server.port}`, live.target] }];
  await writeFile(join(home, 'targets.new'), JSON.stringify(list));
  await rename(join(home, 'targets.new'), join(targets, 'server.json'));
  let worst = 0;
  try {
    const endMs = Date.now() + minutes * 60_000;
    while (Date.now() < endMs) {
      await sleep(EVERY_MS);
      const atMs = Date.now();
      const [scraped, computed] = [await scrapedAt(store, atMs), await computedAt(server, atMs)];
      const off = Math.abs(scraped / computed - 1);
      worst = Number.isFinite(off) ? Math.max(worst, off) : Infinity;
      const told = [scraped, computed].map((usd) => usd.toFixed(5)).join(' scraped, ');
      process.stdout.write(`${new Date(atMs).toISOString()} USD an hour: ${told} computed\n`);
    }
  } finally {
    await server.stop();
    await store.stop();
    live.close();
  }
  return worst;
}

const home = await mkdtemp(join(tmpdir(), 'prorata-scraped-'));
try {
  const worst = await run(home, values.minutes);
  process.stdout.write(`they differ by at most ${(100 * worst).toFixed(3)} %\n`);
  if (!(worst <= OFF_MOST)) process.exitCode = 1;
} finally {
  await rm(home, { recursive: true, force: true });
}

/** `npm run bench`: benchmarks, all or those named, their tables and the peak resident size. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BENCHMARK_NAMES, commandLine } from '../scripts/commands.ts';
import { blocksBenchmarks } from './blocks.ts';
import { csvRowsBenchmarks } from './csv-rows.ts';
import { hasDuckdb } from './duckdb.ts';
import { estimatesBenchmarks } from './estimates.ts';
import { focusBenchmarks } from './focus.ts';
import { groupedSumsBenchmarks } from './grouped-sums.ts';
import { measureAll, toTable, type Benchmarks } from './harness.ts';
import { matrixBenchmarks } from './matrix.ts';
import { mixedBenchmarks } from './mixed.ts';
import { onDemandBenchmarks } from './on-demand.ts';
import { placesBenchmarks } from './places.ts';
import { readersBenchmarks } from './readers.ts';
import { reportScale } from './scale.ts';
import { receiveBenchmarks } from './receive.ts';
import { receivedBenchmarks } from './received.ts';
import { receiveBlocksBenchmarks } from './receive-blocks.ts';
import { setsBenchmarks } from './sets.ts';
import { startBenchmarks } from './start.ts';
import { storedBenchmarks } from './stored.ts';
import { streamBenchmarks } from './stream.ts';
import { warmBenchmarks } from './warm.ts';
import { usageBenchmarks } from './usage.ts';
import { xorDecodeBenchmarks } from './xor-decode.ts';

const BENCHMARKS: Readonly<Record<(typeof BENCHMARK_NAMES)[number], Benchmarks>> = {
  'xor-decode': xorDecodeBenchmarks,
  matrix: matrixBenchmarks,
  'grouped-sums': groupedSumsBenchmarks,
  'csv-rows': csvRowsBenchmarks,
  'on-demand': onDemandBenchmarks,
  readers: readersBenchmarks,
  sets: setsBenchmarks,
  start: startBenchmarks,
  stored: storedBenchmarks,
  stream: streamBenchmarks,
  warm: warmBenchmarks,
  mixed: mixedBenchmarks,
  estimates: estimatesBenchmarks,
  usage: usageBenchmarks,
  focus: focusBenchmarks,
  receive: receiveBenchmarks,
  'receive-blocks': receiveBlocksBenchmarks,
  received: receivedBenchmarks,
  blocks: blocksBenchmarks,
  places: placesBenchmarks,
};

function installPeers(): void {
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd, stdio: 'inherit' });
  if (status !== 0) process.stderr.write('cannot install the peers: running without them\n');
}

async function main(): Promise<void> {
  const { values: settings, operands: named } = commandLine('bench');
  const isSmoke = settings.smoke || process.env['BENCH_SIZE'] === 'smoke';
  const hasPeers = !settings['no-peers'];
  if (hasPeers && !isSmoke && !hasDuckdb()) installPeers();
  const options = {
    isSmoke,
    withPeers: hasPeers && hasDuckdb(),
    settings,
    note: (line: string) => void process.stdout.write(`${line}\n`),
  };
  for (const name of BENCHMARK_NAMES) {
    if (named.length > 0 && !named.includes(name)) continue;
    for await (const measurements of measureAll(BENCHMARKS[name], options)) {
      process.stdout.write(`${toTable(measurements)}\n`);
    }
  }
  if (named.includes('scale')) await reportScale(options);
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(`peak resident size ${peakMb} MB\n`);
}

await main();

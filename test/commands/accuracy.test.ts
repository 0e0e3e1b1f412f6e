/** `prorata accuracy`: its measurements, and the accuracy that rows state of themselves. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { COMMAND } from '../support/command.ts';
import { query, readPlan } from '../../src/allocation/index.ts';
import { combined, isInside, LIFETIMES, RESOLUTIONS } from '../../src/terminal/accuracy-cells.ts';
import { clockOf } from '../../src/server/clock.ts';
import { metricsOf, startEngine, type Engine } from '../../src/server/engine.ts';
import { billedCoreHours, knownPods } from '../../src/commands/known-pods.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { parseQuery } from '../../src/http/index.ts';
import { createKnownLives } from '../../src/metrics/index.ts';
import { readCsv } from '../support/references/read-csv.ts';

const HOUR_MS = 3_600_000;

let engine: Engine | undefined;
const { config } = loadConfig(['--workers=2', '--memory-limit=512Mi'], {}, () => '');

before(async () => {
  const log = { info: () => undefined, error: () => undefined };
  engine = await startEngine(config, log);
});
after(() => engine?.close());

test('all cells are printed, each is within its promise, and exact ones are 1.00', async () => {
  const child = spawn(process.execPath, [COMMAND, 'accuracy', '--pods', '24', '--csv'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  await once(child, 'close');
  assert.deepEqual([child.exitCode, stderr], [0, '']);
  const [head, ...rows] = readCsv(stdout);
  assert.equal(head?.join(), 'resolution,lifetime,lower,upper,seconds,peakRssBytes');
  const expected = LIFETIMES.flatMap(({ name }) => RESOLUTIONS.map((r) => `${r} ${name}`));
  assert.deepEqual(
    rows.map(([resolution, lifetime]) => `${resolution} ${lifetime}`),
    expected,
  );
  for (const row of rows) {
    const [lower, upper, seconds, peakRssBytes] = row.slice(2).map(Number);
    assert.ok(Number(lower) <= Number(upper) && Number(seconds) > 0, row.join());
    assert.ok(Number(peakRssBytes) > 2 ** 20, row.join());
    if (row[0] === 'exact') assert.deepEqual([lower?.toFixed(9), upper?.toFixed(9)], ONE);
  }
  const missed = rows.find(([resolution, lifetime]) => `${resolution} ${lifetime}` === '1m 30s');
  assert.deepEqual(missed?.slice(2, 4), ['-1', '2'], 'half of the shortest pods are never scraped');
});

const ONE = ['1.000000000', '1.000000000'];

interface Row {
  readonly cpuCoreHours: number;
  readonly accuracy?: { readonly lower: number | null; readonly upper: number | null };
}

async function rowsOf(lifeMs: number, resolution: string, tellsTimes: boolean): Promise<void> {
  assert.ok(engine, 'no engine runs');
  const { pods, neighbour, startMs, endMs } = knownPods(lifeMs, { pods: 60, seed: 7 });
  const source = createKnownLives([neighbour, ...pods], { scrapeMs: 60_000, hasTimes: tellsTimes });
  const window = `window=${startMs / 1000},${endMs / 1000}`;
  const text = `${window}&aggregate=pod&resolution=${resolution}`;
  const plan = readPlan(parseQuery(text), clockOf(config).calendar, endMs + HOUR_MS);
  const options = { compute: engine.compute, metrics: metricsOf(config, source) };
  const { chunks } = await query(options, plan, new AbortController().signal);
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  const answer = JSON.parse(Buffer.concat(parts).toString()) as { data: [Record<string, Row>] };
  let seen = 0;
  for (const pod of pods) {
    const { name } = pod;
    const row = answer.data[0][name];
    if (row === undefined) continue;
    seen++;
    if (resolution === 'exact') {
      assert.equal(row.accuracy, undefined);
      continue;
    }
    const ratio = row.cpuCoreHours / billedCoreHours(pod);
    const lower = row.accuracy?.lower ?? Infinity;
    const upper = row.accuracy?.upper ?? Infinity;
    assert.ok(lower <= ratio + 1e-9, `${name} at ${resolution}: ${ratio} is below ${lower}`);
    assert.ok(ratio <= upper + 1e-9, `${name} at ${resolution}: ${ratio} is above ${upper}`);
  }
  assert.ok(seen > 0, 'nothing was seen');
}

for (const resolution of ['1m', '7m', '60m', 'exact'])
  test(`at ${resolution} the bounds that a row states hold for each pod`, async () => {
    for (const lifeMs of [30_000, 300_000, 5_000_000])
      for (const tellsTimes of [true, false]) await rowsOf(lifeMs, resolution, tellsTimes);
  });

const MEASURED = { lower: 1, upper: 1, seconds: 1, peakRssBytes: 1 };

test('a cell has the worst of both, with and without timestamps; exact only with them', () => {
  const samples = { lower: -1, upper: 2, seconds: 3, peakRssBytes: 4 };
  const both = { samples, timestamps: MEASURED };
  assert.deepEqual(combined('1m', '30s', both), { resolution: '1m', lifetime: '30s', ...samples });
  const exact = combined('exact', '30s', both);
  assert.deepEqual([exact.lower, exact.upper], [1, 1]);
});

const CELLS: readonly (readonly [lower: number, upper: number, inside: boolean])[] = [
  [0.8, 1.2, true],
  [0.796, 1.204, true],
  [0.79, 1, false],
  [-1, 1, false],
  [1, 1.21, false],
];
for (const [lower, upper, inside] of CELLS)
  test(`${lower} to ${upper} is ${inside ? 'inside' : 'outside'} of 0.80 to 1.20`, () => {
    const cell = { ...MEASURED, resolution: '2m', lifetime: '5m', lower, upper };
    assert.equal(isInside(cell), inside);
  });

/** Which stored sets recommendations rest on: days, hours, many, and those that are damaged. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { compileKernels, createEngine } from '../../src/columnar/index.ts';
import { dirtyMemory } from '../support/references/dirty-memory.ts';
import { folderOf } from '../support/stores/columns-folder.ts';
import { startBundleServer } from '../support/servers/bundle-server.ts';
import {
  DAY_MS,
  HOUR_MS,
  NOW_MS,
  ran,
  sizingServers,
  TODAY_MS,
  type Answer,
} from '../support/servers/sizing-server.ts';
import { sizedSets, type Ran, type SizedSpan } from '../support/stores/sizing-sets.ts';

const { ask, start } = sizingServers();
const span = (startMs: number, ms: number, more: Partial<Ran>): SizedSpan => ({
  startMs,
  endMs: startMs + ms,
  ran: [ran('a', { startMs, endMs: startMs + ms, ...more })],
});
const requests = ({ Recommendations }: Answer): string[] =>
  Recommendations.map((each) => each.recommendedRequest.cpu);

describe('many days', () => {
  const COUNT = 75;
  const days = Array.from({ length: COUNT }, (_, i) =>
    span(TODAY_MS - (COUNT - i) * DAY_MS, DAY_MS, {
      cpuUsed: [(i + 1) / 100],
      usdPerCoreHour: 1,
      labels: `{"day":"${i}"}`,
    }),
  );
  const from = new Date(TODAY_MS - COUNT * DAY_MS).toISOString();
  const window = `window=${from},${new Date(TODAY_MS).toISOString()}`;

  for (const [algorithm, cpu, share] of [
    ['max', 750, 0],
    ['quantile', 380, 0.01],
    ['quantileOfMaxes', 380, 0.01],
  ] as const) {
    test(`are added up in rounds: ${algorithm}`, async () => {
      const query = `algorithmCPU=${algorithm}&qCPU=0.5&targetCPUUtilization=1`;
      const answer = await ask(days, `requestSizingV2?${window}&${query}`);
      const [first] = answer.Recommendations;
      const millicores = parseInt(first?.recommendedRequest.cpu ?? '', 10);
      assert.ok(Math.abs(millicores - cpu) <= 1 + share * cpu, `${millicores}, not ${cpu}`);
      const usd = (0.5 - millicores / 1000) * 730;
      assert.ok(Math.abs((first?.monthlySavings.cpu ?? NaN) - usd) < 1e-6, `not ${usd}`);
      assert.equal(answer.warnings, undefined);
    });
  }

  test('have the labels of the last', async () => {
    const answer = await ask(days, `requestSizingV2?${window}&includeLabelsAndAnnotations=true`);
    assert.deepEqual(answer.Recommendations[0]?.labels, { day: '74' });
  });
});

describe('hours', () => {
  const hour = (place: number, cpu: number): SizedSpan =>
    span(NOW_MS + place * HOUR_MS, HOUR_MS, { cpuUsed: [cpu] });
  const stored = [hour(-4, 8), hour(-3, 4), hour(-2, 2), hour(-1, 1)];

  for (const [window, cpu] of [
    ['1h', '1000m'],
    ['90m', '2000m'],
    ['3h', '4000m'],
    ['1h offset 2h', '4000m'],
  ] as const) {
    test(`${window} rests on every hour that it overlaps`, async () => {
      const query = `window=${encodeURIComponent(window)}&targetCPUUtilization=1`;
      assert.deepEqual(requests(await ask(stored, `requestSizingV2?${query}`)), [cpu]);
    });
  }

  test('have a warning where they are not stored', async () => {
    const lacking = [hour(-4, 8), hour(-1, 1)];
    const answer = await ask(lacking, 'requestSizingV2?window=4h&targetCPUUtilization=1');
    assert.deepEqual(requests(answer), ['8000m']);
    assert.deepEqual(answer.warnings, [
      '2024-05-10T09:00:00.000Z to 2024-05-10T11:00:00.000Z is not stored: the answer lacks it',
    ]);
  });

  test('do not stand in for the days of a longer window', async () => {
    const today = span(TODAY_MS, DAY_MS, { cpuUsed: [3] });
    const answer = await ask(
      [...stored, today],
      'requestSizingV2?window=today&targetCPUUtilization=1',
    );
    assert.deepEqual(requests(answer), ['3000m']);
  });
});

test('an answer of sealed days has a tag, and is not sent again to a client that has it', async () => {
  const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), 1);
  const sealed = span(TODAY_MS - DAY_MS, DAY_MS, {});
  const open = await sizedSets(engine, [span(TODAY_MS, DAY_MS, {})], { state: 'partial' });
  const server = await start('UTC', [...(await sizedSets(engine, [sealed])), ...open]);
  server.nowMs = NOW_MS;
  try {
    const get = (query: string, tag = ''): Promise<Response> =>
      fetch(`${server.url}/savings/requestSizing?${query}`, { headers: { 'if-none-match': tag } });
    const first = await get('window=yesterday');
    const tag = first.headers.get('etag') ?? '';
    assert.match(tag, /^"[\w-]{27}"$/);
    const text = await first.text();
    assert.equal((await get('window=yesterday', tag)).status, 304);
    assert.equal(await (await get('window=yesterday', '"other"')).text(), text);
    const other = await get('window=yesterday&targetCPUUtilization=0.5', tag);
    assert.deepEqual([other.status, other.headers.get('etag') === tag], [200, false]);
    assert.equal((await get('window=today')).headers.get('etag'), null);
    assert.equal((await get('window=3d')).headers.get('etag'), null);
  } finally {
    await server.stop();
  }
});

test('a damaged day is left out with a warning, when it is found and ever after', async () => {
  const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), 1);
  const days = [2, 1].map((back) => span(TODAY_MS - back * DAY_MS, DAY_MS, { cpuUsed: [back] }));
  const folder = await folderOf(await sizedSets(engine, days));
  const server = await startBundleServer([
    `--data-dir=${folder}`,
    '--timezone=UTC',
    `--now=${new Date(NOW_MS).toISOString()}`,
    '--request-sizing-shape=array',
  ]);
  try {
    const usage = readdirSync(join(folder, 'sets')).filter((name) => name.includes('usage'));
    const path = join(folder, 'sets', usage.toSorted()[0] ?? '');
    const bytes = readFileSync(path);
    for (let at = 8; at < bytes.length / 2; at++) bytes[at] = (bytes[at] ?? 0) ^ 255;
    writeFileSync(path, bytes);
    const query = 'window=2d%20offset%2012h&targetCPUUtilization=1';
    for (let i = 0; i < 2; i++) {
      const answer = await server.ask(`/savings/requestSizing?${query}`);
      const body = JSON.parse(answer.text) as Answer;
      assert.deepEqual(requests(body), ['1000m']);
      assert.match(body.warnings?.join() ?? '', /usage.*damaged/);
    }
    const list = await server.ask(`/savings/requestSizingV2?${query}`);
    assert.equal((JSON.parse(list.text) as unknown[]).length, 1);
    assert.deepEqual(server.errors, []);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

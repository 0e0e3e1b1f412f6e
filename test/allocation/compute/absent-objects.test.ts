/**
 * Clusters without some kinds of objects, alone and in pairs, each beside a whole one: every question has an
 * answer, computed at each resolution and stored, the whole cluster's costs are its closed form in each, and
 * those of the other are where that has one. `ABSENT=all` tries all pairs, the gate some.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import {
  testSeries,
  WORLD_PARTS,
  worldCost,
  worldSeries,
  type WorldPart,
} from '../../support/fleets/world.ts';
import { startOwnServer, type OwnServer } from '../../support/servers/own-server.ts';
import { startScriptedStore, type ScriptedStore } from '../../support/stores/scripted-store.ts';
import { remoteReads } from '../../support/stores/series-store.ts';
import type { TestSeries } from '../../support/stores/samples-encoding.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FIRST_MS = Date.UTC(2024, 4, 1);
/** Within what is scraped: lives end beyond it. */
const [FROM_HOUR, TO_HOUR] = [2, 6];
const WHOLE: ReadonlySet<WorldPart> = new Set();
/** One in so many pairs is tried in the gate. */
const SAMPLED = 13;

interface Case {
  readonly lacks: ReadonlySet<WorldPart>;
  readonly isAlone: boolean;
}

const pairs = WORLD_PARTS.flatMap((one, i) =>
  WORLD_PARTS.slice(i + 1).map((other) => [one, other]),
);
const tried = process.env['ABSENT'] === 'all' ? pairs : pairs.filter((_, i) => i % SAMPLED === 0);
/** A day each, in the order of time. */
const CASES: readonly Case[] = [
  { lacks: WHOLE, isAlone: true },
  ...WORLD_PARTS.map((part) => ({ lacks: new Set([part]), isAlone: true })),
  // The one that no day was built of, and every answer about was refused.
  { lacks: new Set<WorldPart>(['volumes', 'volume prices', 'claims', 'mounts']), isAlone: true },
  ...tried.map((pair) => ({ lacks: new Set(pair), isAlone: false })),
];
const NOW_MS = FIRST_MS + CASES.length * DAY_MS + 1.5 * HOUR_MS;

function dayMs(place: number): number {
  return FIRST_MS + place * DAY_MS;
}

function seriesOf({ lacks, isAlone }: Case, startMs: number): TestSeries[] {
  const scraped = { startMs: startMs + HOUR_MS, endMs: startMs + 7 * HOUR_MS, everyMs: 300_000 };
  const lacking = worldSeries({ cluster: 'lacking', lacks, scraped });
  const whole = isAlone ? [] : worldSeries({ cluster: 'whole', lacks: WHOLE, scraped });
  return testSeries([...lacking, ...whole]);
}

const days = [...CASES, { lacks: WHOLE, isAlone: true }].map((one, i) => seriesOf(one, dayMs(i)));

let folder: string;
let store: ScriptedStore;
let server: OwnServer;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prorata-absent-'));
  const reply = remoteReads(({ startMs, endMs }) =>
    days.slice(Math.max(0, placeAt(startMs)), placeAt(endMs) + 1).flat(),
  );
  store = await startScriptedStore(reply);
  server = await startOwnServer([
    `--metrics-url=${store.url}`,
    '--metrics-reader=remote-read',
    `--data-dir=${folder}`,
    `--now=${new Date(NOW_MS).toISOString()}`,
    `--retention=${CASES.length + 1}d`,
    '--workers=2',
    '--refresh=5m',
  ]);
  await built();
});
after(async () => {
  await server.stop();
  await store.stop();
  await rm(folder, { recursive: true, force: true });
});

function placeAt(ms: number): number {
  return Math.floor((ms - FIRST_MS) / DAY_MS);
}

/** Resolves once each day was tried. */
async function built(): Promise<void> {
  for (;;) {
    const { text } = await server.ask('/readyz?verbose');
    const { backfill } = JSON.parse(text) as {
      readonly backfill: {
        readonly done: number;
        readonly total: number;
        readonly failing: string[];
      };
    };
    assert.deepEqual(backfill.failing, []);
    if (backfill.done > CASES.length) return;
    await sleep(50);
  }
}

type Totals = Readonly<Record<string, number>>;

/** USD by cluster, idle included; undefined where the store has no pods. */
async function totals(path: string, query: string): Promise<Totals | undefined> {
  const { status, text } = await server.ask(
    `/model/${path}?${query}&aggregate=cluster&idle=true&splitIdle=true`,
  );
  assert.ok(status < 500, `${path}?${query}: ${text}`);
  if (status === 400) {
    assert.match(text, /no samples of kube-state-metrics/);
    return undefined;
  }
  assert.equal(status, 200, text);
  const { data } = JSON.parse(text) as { data: Readonly<Record<string, { totalCost: number }>>[] };
  const sums: Record<string, number> = {};
  for (const [name, { totalCost }] of data.flatMap((set) => Object.entries(set))) {
    const [cluster = ''] = name.split('/');
    assert.ok(totalCost >= 0, `${name}: ${totalCost}`);
    sums[cluster] = (sums[cluster] ?? 0) + totalCost;
  }
  return sums;
}

function window(place: number, from: number, to: number): string {
  const [start, end] = [from, to].map((hour) =>
    new Date(dayMs(place) + hour * HOUR_MS).toISOString(),
  );
  return `window=${start},${end}`;
}

function assertNear(actual: number, wanted: number, what: string): void {
  assert.ok(
    Math.abs(actual - wanted) <= 1e-9 * Math.abs(wanted) + 1e-12,
    `${what}: ${actual}, not ${wanted}`,
  );
}

test(`P-ORACLE: ${CASES.length} clusters that lack objects are answered, computed and stored`, async (t) => {
  const hours = TO_HOUR - FROM_HOUR;
  const wholeUsd = worldCost({ lacks: WHOLE }, hours) ?? NaN;
  let known = 0;
  for (const [place, { lacks, isAlone }] of CASES.entries()) {
    const what = `without ${[...lacks].join(', ')}`;
    const wanted = worldCost({ lacks }, hours);
    for (const resolution of ['exact', '1m', '1h']) {
      const query = `${window(place, FROM_HOUR, TO_HOUR)}&resolution=${resolution}`;
      const found = await totals('allocation/compute', query);
      if (!isAlone)
        assertNear(
          found?.['whole'] ?? NaN,
          wholeUsd,
          `${what}, the whole beside it, ${resolution}`,
        );
      // Without any pod there are no samples to answer by.
      if (wanted === undefined || found === undefined) continue;
      assertNear(found['lacking'] ?? 0, wanted, `${what}, ${resolution}`);
      known++;
    }
    const computed = await totals('allocation/compute', `${window(place, 0, 24)}&resolution=exact`);
    const stored = await totals('allocation', window(place, 0, 24));
    for (const cluster of Object.keys(computed ?? {}))
      assertNear(stored?.[cluster] ?? 0, computed?.[cluster] ?? NaN, `${what}, stored ${cluster}`);
  }
  t.diagnostic(`${CASES.length} worlds, ${known} answers compared with closed forms`);
  assert.ok(known > CASES.length, `${known} answers have closed forms`);
  assert.deepEqual(server.errors, []);
});

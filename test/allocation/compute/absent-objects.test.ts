/**
 * Clusters without some kinds of objects, singly and in pairs: every question has an answer, computed at each
 * resolution and stored; a cluster costs its closed form where that is known, and allocations with idle are its
 * assets. They stand in one store, at the gate a sample of them; some have a day of their own.
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
import { evenly, isProof, sampled } from '../../support/sampled.ts';
import { startOwnServer, type OwnServer } from '../../support/servers/own-server.ts';
import { startScriptedStore, type ScriptedStore } from '../../support/stores/scripted-store.ts';
import { remoteReads } from '../../support/stores/series-store.ts';
import type { TestSeries } from '../../support/stores/samples-encoding.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FIRST_MS = Date.UTC(2024, 4, 1);
/** Within what is scraped: lives end beyond it. */
const [FROM_HOUR, TO_HOUR] = [2, 6];
const RESOURCES = ['cpuCost', 'ramCost', 'gpuCost'] as const;
/** Prime to the number of days. */
const STRIDE = 101;
/** Clusters of a store: one that is slow to answer is given up. */
const TOGETHER = 100;
const RESOLUTIONS = ['exact', '1m', '1h'];

interface Case {
  readonly cluster: string;
  readonly lacks: ReadonlySet<WorldPart>;
}

const single: readonly (readonly WorldPart[])[] = [
  [],
  ...WORLD_PARTS.map((part) => [part]),
  // The one that no day was built of, and every answer about was refused.
  ['volumes', 'volume prices', 'claims', 'mounts'],
];
const pairs = WORLD_PARTS.flatMap((one, i) =>
  WORLD_PARTS.slice(i + 1).map((other) => [one, other]),
);
const CASES = [...single, ...sampled(pairs, { gate: 40 })].map((lacks, i): Case => ({
  cluster: `c${i}`,
  lacks: new Set(lacks),
}));
const alone = evenly(CASES, isProof ? 200 : 4, 0);
/**
 * Clusters by day, in the order of time. Cases beside each other in the table are not beside each other in time: where
 * days without pods follow one another, the store is taken to begin.
 */
const DAYS: readonly (readonly Case[])[] = [
  ...Array.from({ length: Math.ceil(CASES.length / TOGETHER) }, (_, i) =>
    CASES.slice(i * TOGETHER, (i + 1) * TOGETHER),
  ),
  ...alone.map((_, i) => alone.slice((i * STRIDE) % alone.length).slice(0, 1)),
];
const NOW_MS = FIRST_MS + DAYS.length * DAY_MS + 1.5 * HOUR_MS;

function seriesOf(cases: readonly Case[], startMs: number): TestSeries[] {
  const scraped = { startMs: startMs + HOUR_MS, endMs: startMs + 7 * HOUR_MS, everyMs: 600_000 };
  return testSeries(cases.flatMap((one) => worldSeries({ ...one, scraped })));
}

let folder: string;
let store: ScriptedStore;
let server: OwnServer;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prorata-absent-'));
  const days = [...DAYS, CASES.slice(0, 1)].map((cases, i) => seriesOf(cases, dayMs(i)));
  const reply = remoteReads(({ startMs, endMs }) =>
    days.slice(Math.max(0, placeAt(startMs)), placeAt(endMs) + 1).flat(),
  );
  store = await startScriptedStore(reply);
  server = await startOwnServer([
    `--metrics-url=${store.url}`,
    '--metrics-reader=remote-read',
    `--data-dir=${folder}`,
    `--now=${new Date(NOW_MS).toISOString()}`,
    `--retention=${DAYS.length + 1}d`,
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

function dayMs(place: number): number {
  return FIRST_MS + place * DAY_MS;
}

function placeAt(ms: number): number {
  return Math.floor((ms - FIRST_MS) / DAY_MS);
}

/** Resolves once each day was tried. */
async function built(): Promise<void> {
  for (;;) {
    const { text } = await server.ask('/readyz?verbose');
    const { backfill } = JSON.parse(text) as {
      readonly backfill: { readonly done: number; readonly failing: string[] };
    };
    assert.deepEqual(backfill.failing, []);
    if (backfill.done > DAYS.length) return;
    await sleep(50);
  }
}

interface Costs {
  readonly cpuCost?: number;
  readonly ramCost?: number;
  readonly gpuCost?: number;
  readonly totalCost: number;
  readonly type?: string;
  /** Whether it is a node's own disk. */
  readonly local?: number;
  readonly properties?: { readonly cluster?: string; readonly name?: string };
}
type Rows = readonly (readonly [name: string, costs: Costs])[];

/** @returns undefined where the store has no pods */
async function rowsOf(path: string): Promise<Rows | undefined> {
  const { status, text } = await server.ask(`/model/${path}`);
  assert.ok(status < 500, `${path}: ${text}`);
  if (status === 400) {
    assert.match(text, /no samples of kube-state-metrics/);
    return undefined;
  }
  assert.equal(status, 200, text);
  const { data } = JSON.parse(text) as { data: readonly Readonly<Record<string, Costs>>[] };
  const rows = data.flatMap((set) => Object.entries(set));
  for (const [name, { totalCost }] of rows) assert.ok(totalCost >= 0, `${name}: ${totalCost}`);
  return rows;
}

const BY_NODE = 'aggregate=cluster,node&idle=true&splitIdle=true&idleByNode=true';

function isoOf(place: number, hour: number): string {
  return new Date(dayMs(place) + hour * HOUR_MS).toISOString();
}

type Sums = ReadonlyMap<string, number>;

/** USD by cluster, idle included. */
function totals(rows: Rows): Sums {
  const sums = new Map<string, number>();
  for (const [name, { totalCost }] of rows) {
    const [cluster = ''] = name.split('/');
    sums.set(cluster, (sums.get(cluster) ?? 0) + totalCost);
  }
  return sums;
}

/** USD by cluster of what allocations are charged for: not management, nor the nodes' own disks. */
function charged(assets: Rows): Sums {
  const isCharged = ({ type, local = 0 }: Costs): boolean =>
    type !== 'ClusterManagement' && local === 0;
  return totals(assets.filter(([, asset]) => isCharged(asset)).map(([, asset]) => [asset.properties?.cluster ?? '', asset]));
} // prettier-ignore

/** USD by cluster of what allocations on nodes cost beyond the nodes, or without an asset of the node. */
function excess(rows: Rows, assets: Rows): Sums {
  const nodes = new Map(
    assets.filter(([, { type }]) => type === 'Node').map(([, node]) => [`${node.properties?.cluster}/${node.properties?.name}`, node]),
  );
  const used = rows.filter(([name]) => !name.endsWith('/__idle__'));
  const beyond = used.map(([name, row]): Rows[number] => {
    const over = RESOURCES.map((resource) => Math.max(0, (row[resource] ?? 0) - (nodes.get(name)?.[resource] ?? 0)));
    return [name, { totalCost: over.reduce((sum, usd) => sum + usd, 0) }];
  });
  return totals(beyond);
} // prettier-ignore

function assertNear(actual: number, wanted: number, what: string): void {
  assert.ok(
    Math.abs(actual - wanted) <= 1e-9 * Math.abs(wanted) + 1e-12,
    `${what}: ${actual}, not ${wanted}`,
  );
}

test(`P-ORACLE: ${CASES.length} clusters that lack objects are answered, computed and stored`, async (t) => {
  let known = 0;
  for (const [place, cases] of DAYS.entries()) {
    const isAlone = cases.length === 1;
    const whatOf = ({ lacks }: Case): string =>
      `without ${[...lacks].join(', ')}${isAlone ? ', alone' : ''}`;
    for (const resolution of RESOLUTIONS) {
      const window = `${isoOf(place, FROM_HOUR)},${isoOf(place, TO_HOUR)}`;
      const rows = await rowsOf(
        `allocation/compute?window=${window}&resolution=${resolution}&${BY_NODE}`,
      );
      if (rows === undefined) {
        assert.ok(isAlone);
        continue;
      }
      const found = totals(rows);
      for (const one of cases) {
        const wanted = worldCost(one, TO_HOUR - FROM_HOUR);
        if (wanted === undefined) continue;
        assertNear(found.get(one.cluster) ?? 0, wanted, `${whatOf(one)}, ${resolution}`);
        known++;
      }
    }
    const day = `window=${isoOf(place, 0)},${isoOf(place, 24)}`;
    const computed = (await rowsOf(`allocation/compute?${day}&resolution=exact&${BY_NODE}`)) ?? [];
    const stored = (await rowsOf(`allocation?${day}&shareTenancyCosts=false&${BY_NODE}`)) ?? [];
    const assets = (await rowsOf(`assets?${day}`)) ?? [];
    const [now, kept, paid, more] = [
      totals(computed),
      totals(stored),
      charged(assets),
      excess(stored, assets),
    ];
    for (const one of cases) {
      const of = (sums: Sums): number => sums.get(one.cluster) ?? 0;
      assertNear(of(kept), of(now), `${whatOf(one)}, stored`);
      assertNear(of(kept) - of(more), of(paid), `${whatOf(one)}, assets`);
    }
  }
  t.diagnostic(`${DAYS.length} days, ${known} answers compared with closed forms`);
  assert.ok(known > CASES.length, `${known} answers have closed forms`);
  assert.deepEqual(server.errors, []);
});

/** Every fleet of the table, in a real Prometheus, through the real server, against closed forms. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import type { Amounts } from '../../../scripts/openb-fleet.ts';
import { FLEET_CASES, type FleetCase } from '../../support/fleets/fleet-cases.ts';
import { serveFleets } from '../../support/fleets/served-fleets.ts';
import { expectedRows, type Span } from '../../support/fleets/fleet.ts';
import { type Allocations, type Prorata, startProrata } from '../../support/servers/prorata.ts';
import type { Prometheus } from '../../support/stores/prometheus.ts';
import { skipWithout } from '../../support/servers/services.ts';

const skip = skipWithout('prometheus', 'promtool');
const FIELDS = [
  'cpuCoreHours',
  'ramByteHours',
  'gpuHours',
  'cpuCost',
  'ramCost',
  'gpuCost',
] as const;
const MINUTE_MS = 60_000;
const READERS = ['remote-read', 'query-range'] as const;
type Reader = (typeof READERS)[number];
let prometheus: Prometheus | undefined;
/** By how they read: remote read, and PromQL. */
const servers = new Map<Reader, Prorata>();
const answers = new Map<string, Promise<Allocations>>();

before(async () => {
  if (skip !== false) return;
  prometheus = await serveFleets(FLEET_CASES.map((one) => one.fleet));
  for (const reader of READERS)
    servers.set(
      reader,
      await startProrata(['--metrics-url', prometheus.url, '--metrics-reader', reader]),
    );
});

after(async () => {
  for (const server of servers.values()) await server.stop();
  await prometheus?.stop();
});

/** All clusters' rows for a window; asked for once. */
function rowsOf(
  window: Span,
  resolution: string,
  reader: Reader = 'remote-read',
): Promise<Allocations> {
  const prorata = servers.get(reader);
  assert.ok(prorata, `${reader} does not run`);
  const [start, end] = window.map((timeMs) => new Date(timeMs).toISOString());
  const parameters = { window: `${start},${end}`, resolution };
  const key = `${reader} ${JSON.stringify(parameters)}`;
  const answer = answers.get(key) ?? prorata.allocations(parameters).then(only);
  answers.set(key, answer);
  return answer;
}

function only(sets: Allocations[]): Allocations {
  const [set] = sets;
  assert.ok(set !== undefined && sets.length === 1, `${sets.length} sets`);
  return set;
}

/** Where `toleranceMs` is not 0 the allocation is constant, so that much time is that much of it. */
function compare(one: FleetCase, window: Span, rows: Allocations, toleranceMs: number): void {
  const expected = expectedRows(one.fleet, window);
  const keys = Object.keys(rows).filter((key) => key.startsWith(`${one.fleet.cluster}/`));
  for (const key of new Set([...expected.keys(), ...keys])) {
    const wanted = expected.get(key);
    const relative = 1e-9 + toleranceMs / ((wanted?.runHours ?? 1) * 60 * MINUTE_MS);
    for (const field of FIELDS) {
      const got = rows[key]?.[field] ?? 0;
      const closed = wanted?.[field] ?? 0;
      assert.ok(
        Math.abs(got - closed) <= relative * closed,
        `${key} ${field}: ${got}, closed form ${closed}, relative tolerance ${relative}`,
      );
    }
  }
}

for (const one of FLEET_CASES)
  for (const reader of READERS)
    test(`exact, by ${reader}: ${one.name}`, { skip }, async () => {
      for (const window of one.windows)
        compare(one, window, await rowsOf(window, 'exact', reader), one.toleranceMs);
    });

/** Fleets whose allocation is constant over each pod's life, so that only its ends are sampled. */
const CONSTANT = ['steady', 'burst-for-life', 'doubled', 'doubled-shifted', 'gpu', 'default-book'];

for (const one of FLEET_CASES.filter(({ fleet }) => CONSTANT.includes(fleet.cluster)))
  test(`1m, to one minute of run time: ${one.name}`, { skip }, async () => {
    for (const window of one.windows) compare(one, window, await rowsOf(window, '1m'), MINUTE_MS);
  });

const RESOLUTIONS = ['1m', '5m', '10m', '1h'] as const;

interface Sampled extends Amounts {
  /** Null where there is no bound. */
  readonly accuracy: Readonly<Record<'lower' | 'upper', number | null>>;
}

/** Σ of CPU, RAM and GPU. */
function costOf(row: Readonly<Record<(typeof FIELDS)[number], number>>): number {
  return row.cpuCost + row.ramCost + row.gpuCost;
}

for (const one of FLEET_CASES)
  for (const resolution of RESOLUTIONS)
    test(`${resolution}, the truth is where accuracy says: ${one.name}`, { skip }, async () => {
      for (const window of one.windows) {
        const rows = Object.entries(await rowsOf(window, resolution));
        const expected = expectedRows(one.fleet, window);
        for (const [key, row] of rows.filter(([name]) =>
          name.startsWith(`${one.fleet.cluster}/`),
        )) {
          const { lower, upper } = (row as Sampled).accuracy;
          const truth = expected.get(key);
          assert.ok(truth, `${key} is billed and was never there`);
          const [billed, actual] = [costOf(row), costOf(truth)];
          if (actual === 0 && billed === 0) continue;
          const seen = `${key}: ${billed / actual} is not in ${lower} to ${upper}`;
          assert.ok(lower === null || lower * actual <= billed * (1 + 1e-9), seen);
          assert.ok(upper === null || upper * actual >= billed * (1 - 1e-9), seen);
        }
      }
    });

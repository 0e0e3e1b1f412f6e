/** The same fleets through every reader, over the real server: the same allocations. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { FLEET_CASES } from '../../support/fleets/fleet-cases.ts';
import { writeFleets } from '../../support/fleets/fleet-series.ts';
import { WHOLE } from '../../support/fleets/fleet-parts.ts';
import type { Span } from '../../support/fleets/fleet.ts';
import { startPrometheus, type Prometheus } from '../../support/stores/prometheus.ts';
import { startProrata, type Allocations, type Prorata } from '../../support/servers/prorata.ts';
import { skipWithout } from '../../support/servers/services.ts';
import { startVictoria, VICTORIA, type Victoria } from '../../support/stores/victoria.ts';

const FIELDS = [
  'cpuCoreHours',
  'ramByteHours',
  'gpuHours',
  'cpuCost',
  'ramCost',
  'gpuCost',
] as const;

const QUERIES: readonly (readonly [window: Span, resolution: string])[] = [
  [WHOLE, 'exact'],
  [WHOLE, '1m'],
];

/** So few that a query over two hours is refused, and its slices are halved. */
const MOST_SAMPLES = 6000;

type Store = 'Prometheus' | 'VictoriaMetrics';

const READERS: readonly (readonly [Store, reader: string])[] = [
  ['Prometheus', 'query-range'],
  ['VictoriaMetrics', 'victoria-export'],
  ['VictoriaMetrics', 'query-range'],
];

async function rowsOf(prorata: Prorata, window: Span, resolution: string): Promise<Allocations> {
  const [start, end] = window.map((timeMs) => new Date(timeMs).toISOString());
  const sets = await prorata.allocations({ window: `${start},${end}`, resolution });
  assert.equal(sets.length, 1);
  return sets[0] ?? {};
}

function assertEqual(rows: Allocations, wanted: Allocations): void {
  assert.deepEqual(Object.keys(rows).toSorted(), Object.keys(wanted).toSorted());
  for (const [key, row] of Object.entries(wanted))
    for (const field of FIELDS) {
      const [got, expected] = [rows[key]?.[field] ?? Number.NaN, row[field]];
      assert.ok(
        Math.abs(got - expected) <= 1e-9 * expected,
        `${key} ${field}: ${got}, through remote read ${expected}`,
      );
    }
}

const skip = skipWithout('prometheus', 'promtool', VICTORIA);

describe('every reader gives the allocations of remote read to 1e-9', { skip }, () => {
  let prometheus: Prometheus;
  let victoria: Victoria;
  const wanted = new Map<string, Allocations>();
  const each = async (
    visit: (key: string, window: Span, resolution: string) => Promise<void>,
  ): Promise<void> => {
    for (const [window, resolution] of QUERIES)
      await visit(`${window.join()} ${resolution}`, window, resolution);
  };

  const serve = async (
    url: string,
    reader: string,
    use: (prorata: Prorata) => Promise<void>,
  ): Promise<void> => {
    const prorata = await startProrata(['--metrics-url', url, '--metrics-reader', reader]);
    try {
      await use(prorata);
    } finally {
      await prorata.stop();
    }
  };

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prorata-readers-'));
    try {
      const file = join(folder, 'fleets.om');
      const fleets = FLEET_CASES.map((one) => one.fleet);
      await writeFleets(file, fleets);
      prometheus = await startPrometheus({
        blocksFrom: [file],
        flags: [`--query.max-samples=${MOST_SAMPLES}`],
      });
      victoria = await startVictoria([file]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    await serve(prometheus.url, 'remote-read', (prorata) =>
      each(async (key, window, resolution) => {
        wanted.set(key, await rowsOf(prorata, window, resolution));
      }),
    );
  });

  after(async () => {
    await victoria.stop();
    await prometheus.stop();
  });

  for (const [store, reader] of READERS)
    test(`${reader} of ${store}`, () => {
      const { url } = store === 'Prometheus' ? prometheus : victoria;
      return serve(url, reader, (prorata) =>
        each(async (key, window, resolution) => {
          assertEqual(await rowsOf(prorata, window, resolution), wanted.get(key) ?? {});
        }),
      );
    });
});

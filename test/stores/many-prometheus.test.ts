/** Several real Prometheus servers as one store: of two clusters, and two that scrape the same with gaps. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Seeded } from '../../scripts/seeded.ts';
import type { Fleet, Span } from '../support/fleets/fleet.ts';
import {
  bursting,
  container,
  fleet,
  MINUTE,
  NOON,
  pod,
  SECOND,
  SHORT,
} from '../support/fleets/fleet-parts.ts';
import { randomFleet } from '../support/fleets/random-lives.ts';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { skipWithout } from '../support/servers/services.ts';
import { startCable } from '../support/stores/cable.ts';
import { storeOfFleet } from '../support/stores/many-prometheus.ts';
import type { Prometheus } from '../support/stores/prometheus.ts';

const skip = skipWithout('prometheus', 'promtool');
const WINDOW: Span = [NOON - 90 * MINUTE, NOON + 90 * MINUTE];
/** Amounts of a row. */
const FIELDS = ['minutes', 'cpuCoreHours', 'cpuCost', 'ramByteHours', 'ramCost', 'gpuHours', 'gpuCost', 'cpuCoreUsageAverage', 'ramByteUsageAverage']; // prettier-ignore
const TEXT = WINDOW.map((ms) => new Date(ms).toISOString()).join();

type Row = Readonly<Record<string, unknown>>;
interface Answer {
  readonly data: readonly Readonly<Record<string, Row>>[];
  readonly warnings?: readonly string[];
}

async function rowsOf(server: OwnServer, query: string): Promise<Readonly<Record<string, Row>>> {
  return (await answerOf(server, query)).data[0] ?? {};
}

async function answerOf(server: OwnServer, query: string): Promise<Answer> {
  const { status, text } = await server.compute(`window=${TEXT}&${query}`);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Answer;
}

function fleetOf(cluster: string, seed: number, changes: Partial<Fleet> = {}): Fleet {
  const { fleet } = randomFleet(new Seeded(seed), `${seed}`, [WINDOW], [30_000]);
  return { ...fleet, cluster, ...changes };
}

describe('two clusters of equal names in two Prometheus', { skip, timeout: 300_000 }, () => {
  const stores: Prometheus[] = [];
  const servers: OwnServer[] = [];
  before(async () => {
    const fleets = [fleetOf('east', 3), fleetOf('west', 8)];
    stores.push(...(await Promise.all(fleets.map((fleet) => storeOfFleet(fleet, false)))));
    const [east = '', west = ''] = stores.map(({ url }) => url);
    servers.push(
      await startOwnServer([`--metrics-url=${east}`, '--cluster-id=east']),
      await startOwnServer([`--metrics-url=${west}`, '--cluster-id=west']),
      await startOwnServer([`--metrics-url=east=${east} west=${west}`, '--cluster-id=none']),
      await startOwnServer([
        `--metrics-url=east=${east} west=${west}`,
        '--metrics-reader=query-range',
      ]),
    );
  });
  after(async () => {
    for (const server of servers) await server.stop();
    for (const store of stores) await store.stop();
  });

  for (const query of ['idle=true', 'aggregate=cluster', 'aggregate=cluster,pod&resolution=1m'])
    test(`rows of ${query} are those of the two servers of one store each, to the bit`, async () => {
      const [east, west, both] = servers;
      assert.ok(east && west && both);
      const [ofEast, ofWest] = [await rowsOf(east, query), await rowsOf(west, query)];
      assert.deepEqual(await rowsOf(both, query), { ...ofEast, ...ofWest });
      assert.ok(Object.keys(ofEast).length > 0 && Object.keys(ofWest).length > 0);
    });

  test('one that is cut off under load is missed by name, never silently, and is back by itself', async () => {
    const [east, west, both] = [stores[0]?.url ?? '', stores[1]?.url ?? '', servers[2]];
    assert.ok(both);
    const query = 'aggregate=cluster';
    const whole = await rowsOf(both, query);
    const cable = await startCable(west);
    const server = await startOwnServer([`--metrics-url=east=${east} west=${cable.url}`]);
    const seen = new Map<number, number>();
    let isOver = false;
    const ask = async (more: string): Promise<void> => {
      while (!isOver) {
        const { status, text } = await server.compute(`window=${TEXT}&${query}${more}`);
        seen.set(status, (seen.get(status) ?? 0) + 1);
        if (status !== 200) {
          assert.equal(status, 503, text);
          assert.match(text, /store 'west' of cluster 'west'/);
          continue;
        }
        const { data, warnings = [] } = JSON.parse(text) as Answer;
        const isPartial = warnings.join().includes("store 'west' of cluster 'west' is missing");
        assert.deepEqual(data[0], isPartial ? { east: whole['east'] } : whole);
        assert.ok(!isPartial || more !== '');
      }
    };
    const asking = [ask(''), ask(''), ask('&partialResponse=true')];
    const until = async (isSeen: () => boolean): Promise<void> => {
      while (!isSeen()) await Promise.race([...asking, sleep(20)]);
    };
    for (const [cut, status] of [
      [false, 200],
      [true, 503],
      [false, 200],
    ] as const) {
      await cable.plug(!cut);
      seen.clear();
      await until(() => (seen.get(status) ?? 0) >= 3);
    }
    isOver = true;
    await Promise.all(asking);
    assert.deepEqual(await rowsOf(server, query), whole);
    await server.stop();
    await cable.close();
  });

  test('read by PromQL they are those of one store each, too', async () => {
    const [east, west, , promql] = servers;
    assert.ok(east && west && promql);
    const query = 'aggregate=cluster,pod';
    const names = [east, west].map(async (server) => Object.keys(await rowsOf(server, query)));
    const found = Object.keys(await rowsOf(promql, query));
    assert.deepEqual(found.toSorted(), (await Promise.all(names)).flat().toSorted());
  });
});

describe('a pair that scrapes the same', { skip, timeout: 300_000 }, () => {
  const stores: Prometheus[] = [];
  const servers: OwnServer[] = [];
  const whole = fleet('pair', [
    pod('one'),
    pod('two', { ...SHORT, containers: [bursting('app')] }),
    pod('three', { node: 'node-b', containers: [bursting('app'), container('log')] }),
  ]);
  before(async () => {
    const gap = (fromMs: number, minutes: number): Span => [fromMs, fromMs + minutes * MINUTE];
    const first = [gap(NOON - 80 * MINUTE, 40), gap(NOON + 30 * MINUTE, 5)];
    const second = [gap(NOON - 20 * MINUTE, 30), gap(NOON + 60 * MINUTE, 15)];
    const withGaps = (gaps: readonly Span[], phaseMs: number): Fleet => ({
      ...whole,
      kubeStateMetrics: whole.kubeStateMetrics.map((scrape) => ({
        ...scrape,
        gaps,
        phaseMs: scrape.phaseMs + phaseMs,
      })),
      cadvisor: { ...whole.cadvisor, gaps, phaseMs: whole.cadvisor.phaseMs + phaseMs },
      prices: { ...whole.prices, gaps, phaseMs: whole.prices.phaseMs + phaseMs },
    });
    const fleets = [whole, withGaps(first, 0), withGaps(second, 7 * SECOND)];
    stores.push(...(await Promise.all(fleets.map((fleet) => storeOfFleet(fleet, true)))));
    const [all = '', one = '', two = ''] = stores.map(({ url }) => url);
    servers.push(
      await startOwnServer([`--metrics-url=${all}`]),
      await startOwnServer([`--metrics-url=pair=${one},${two}`]),
      await startOwnServer([
        `--metrics-url=pair=${all} pair=${all.replace('127.0.0.1', 'localhost')}`,
      ]),
    );
  });
  after(async () => {
    for (const server of servers) await server.stop();
    for (const store of stores) await store.stop();
  });

  test('with gaps on each side it costs what one without gaps shows, and nothing twice', async () => {
    const [one, pair] = servers;
    assert.ok(one && pair);
    const [whole, merged] = [await answerOf(one, 'idle=true'), await answerOf(pair, 'idle=true')];
    assert.deepEqual(merged.warnings, whole.warnings);
    const rows = Object.entries(whole.data[0] ?? {});
    assert.deepEqual(
      Object.keys(merged.data[0] ?? {}).toSorted(),
      rows.map(([name]) => name).toSorted(),
    );
    for (const [name, row] of rows)
      for (const field of FIELDS) {
        const [wanted, found] = [Number(row[field]), Number(merged.data[0]?.[name]?.[field])];
        assert.ok(
          Math.abs(found - wanted) <= 1e-9 * wanted,
          `${name} ${field}: ${found}, not ${wanted}`,
        );
      }
  });

  test('each of which has all of it costs what one does, to the bit', async () => {
    const [one, , twice] = servers;
    assert.ok(one && twice);
    assert.deepEqual(await answerOf(twice, 'idle=true'), await answerOf(one, 'idle=true'));
  });
});

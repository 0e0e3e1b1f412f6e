/**
 * Invariants that fail in one cluster, planted in the prices of its region: the cluster is answered by fewer
 * facts and named, the others as ever. The pipeline runs in the test's own process, so that the fault can be planted.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, readPlan } from '../../../src/allocation/index.ts';
import type { QueryOptions } from '../../../src/allocation/compute/query.ts';
import {
  decideSparing,
  type ClusterFailure,
} from '../../../src/allocation/ledger/cluster-failures.ts';
import { Room } from '../../../src/allocation/formats/room.ts';
import { Slots } from '../../../src/allocation/formats/slots.ts';
import { allocationTasks } from '../../../src/allocation/tasks.ts';
import {
  ArenaFull,
  compileKernels,
  createEngine,
  Owners,
  type Owner,
} from '../../../src/columnar/index.ts';
import { parseQuery } from '../../../src/http/index.ts';
import { compileMatchers } from '../../../src/metrics/matching.ts';
import type { MetricsSource } from '../../../src/metrics/index.ts';
import type { NodeCatalogue } from '../../../src/pricing/index.ts';
import { messageOf, createCalendar } from '../../../src/query/index.ts';
import { BOOK } from '../../support/fleets/decided.ts';
import { testSeries, worldCost, worldSeries, type WorldPart } from '../../support/fleets/world.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { encodeSamples, type TestSeries } from '../../support/stores/samples-encoding.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2024, 4, 1);
const NOW_MS = START_MS + 24 * HOUR_MS;
const HOURS = 4;
const BROKEN = 'eu-broken-1';
const SCRAPED = { startMs: START_MS + HOUR_MS, endMs: START_MS + 7 * HOUR_MS, everyMs: 300_000 };
/** Traffic of a pod, GiB an hour, and its list price. */
const [SENT_GIB, LISTED_GIB_USD] = [0.5, 0.09];
const NEVER = new AbortController().signal;

function sourceOf(series: readonly TestSeries[]): MetricsSource {
  return {
    name: 'a list of series',
    concurrentReads: 2,
    async *read({ metric, matchers }) {
      const matches = compileMatchers(matchers);
      const found = series
        .map((one) => ({ one, labels: Object.fromEntries(one.labels) }))
        .filter(({ labels }) => labels['__name__'] === metric && matches(labels));
      if (found.length > 0)
        yield { encoding: 'samples', bytes: encodeSamples(found.map(({ one }) => one)) };
    },
  };
}

/** Fails for what it is to price in the broken region. */
function plantedPrices(fault: 'nodes' | 'volumes' | 'none'): NodeCatalogue {
  const broken = (what: typeof fault, region: string): undefined => {
    if (what === fault && region === BROKEN) throw new Error(`BUG: ${what} planted`);
  };
  return {
    find: ({ region }) => broken('nodes', region),
    storageGiBHour: (_, region) => broken('volumes', region),
  };
}

interface Answered {
  /** USD by cluster, idle included. */
  readonly usd: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
  readonly isPartial: boolean;
  readonly failures: readonly ClusterFailure[];
}

async function answerOf(series: readonly TestSeries[], file: NodeCatalogue): Promise<Answered> {
  const engine = createEngine(compileKernels(), dirtyMemory(128 << 20), 1);
  const { arena } = engine;
  const tasks = allocationTasks(engine, { file, isListOn: true });
  const owners = new Owners(arena);
  const running = new Set<Owner>();
  const room = new Room({ arena, owners, running });
  const failures: ClusterFailure[] = [];
  const pool = {
    threads: 1,
    run: async (name: keyof typeof tasks, input: never) => await tasks[name](input),
  } as unknown as QueryOptions['compute']['pool'];
  const slots = new Slots(arena, owners, 8 << 20, room);
  const onClusterFailed = (failure: ClusterFailure): void => void failures.push(failure);
  const compute = { arena, owners, room, slots, running, pool, onClusterFailed };
  const metrics = {
    source: sourceOf(series),
    book: BOOK,
    clusterId: 'own',
    clusterLabels: ['cluster_id'],
  };
  const window = [2, 2 + HOURS].map((hour) => new Date(START_MS + hour * HOUR_MS).toISOString());
  const params = parseQuery(
    `window=${window.join()}&aggregate=cluster&idle=true&splitIdle=true&resolution=exact`,
  );
  const plan = readPlan(params, createCalendar('UTC'), NOW_MS);
  const { chunks, ...about } = await query({ compute, metrics }, plan, NEVER);
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  const { data } = JSON.parse(Buffer.concat(parts).toString()) as {
    readonly data: readonly Readonly<Record<string, { readonly totalCost: number }>>[];
  };
  const usd: Record<string, number> = {};
  for (const [name, { totalCost }] of Object.entries(data[0] ?? {})) {
    const [cluster = ''] = name.split('/');
    usd[cluster] = (usd[cluster] ?? 0) + totalCost;
  }
  return { usd, warnings: about.warnings.map(messageOf), isPartial: about.isPartial, failures };
}

function clusters(lacks: readonly WorldPart[], withOthers: boolean): TestSeries[] {
  const broken = worldSeries({
    cluster: 'broken',
    lacks: new Set(lacks),
    scraped: SCRAPED,
    region: BROKEN,
  });
  const others = ['a', 'z'].flatMap((cluster) =>
    worldSeries({ cluster, lacks: new Set(lacks), scraped: SCRAPED }),
  );
  return testSeries(withOthers ? [...broken, ...others] : broken);
}

function assertNear(actual: number | undefined, wanted: number): void {
  assert.ok(Math.abs((actual ?? NaN) - wanted) <= 1e-9 * wanted, `${actual}, not ${wanted}`);
}

for (const withOthers of [true, false]) {
  const beside = withOthers ? 'beside others' : 'alone';

  test(`a cluster of which charges fail, ${beside}, keeps its pods and nodes`, async () => {
    const sound = await answerOf(clusters(['volume prices'], withOthers), plantedPrices('none'));
    assert.deepEqual([sound.failures, sound.isPartial], [[], false]);
    const failed = await answerOf(
      clusters(['volume prices'], withOthers),
      plantedPrices('volumes'),
    );
    const lacks = new Set<WorldPart>(['volumes', 'claims', 'services', 'traffic']);
    const left = worldCost({ lacks }, HOURS) ?? NaN;
    assertNear(failed.usd['broken'], left + HOURS * SENT_GIB * LISTED_GIB_USD);
    for (const other of withOthers ? ['a', 'z'] : [])
      assert.equal(failed.usd[other], sound.usd[other]);
    assert.equal(failed.isPartial, true);
    assert.ok(
      failed.warnings.some((text) =>
        text.startsWith("internal error in cluster 'broken': its volumes"),
      ),
      failed.warnings.join('\n'),
    );
    assert.deepEqual(
      failed.failures.map(({ cluster, read }) => [cluster, read]),
      [['broken', 'pods and nodes']],
    );
    assert.match(failed.failures[0]?.error ?? '', /^Error: BUG: volumes planted\n/);
  });

  test(`a cluster of which nodes fail, ${beside}, is left out`, async () => {
    const lacks: readonly WorldPart[] = ['node prices'];
    const sound = await answerOf(clusters(lacks, withOthers), plantedPrices('none'));
    const failed = await answerOf(clusters(lacks, withOthers), plantedPrices('nodes'));
    assert.equal(failed.usd['broken'], undefined);
    for (const other of withOthers ? ['a', 'z'] : [])
      assert.equal(failed.usd[other], sound.usd[other]);
    assert.equal(failed.isPartial, true);
    assert.deepEqual(
      failed.failures.map(({ cluster, read }) => [cluster, read]),
      [['broken', 'nothing']],
    );
  });
}

test('few failing clusters of many are found in few attempts', () => {
  const names = Array.from({ length: 256 }, (_, i) => `c${String(i).padStart(3, '0')}`);
  let attempts = 0;
  const { failures } = decideSparing(
    (less) => {
      attempts++;
      for (const bad of ['c007', 'c200']) if (less.get(bad) === undefined) throw new Error(bad);
      return {};
    },
    () => names,
  );
  assert.deepEqual(
    failures.map(({ cluster }) => cluster),
    ['c007', 'c200'],
  );
  assert.ok(attempts < 45, `${attempts} attempts`);
});

test('a full memory is no failure of a cluster, and a fault of no cluster is not hidden', () => {
  const full = new ArenaFull(2, 1);
  const throwing = (error: Error) => () =>
    decideSparing(
      () => {
        throw error;
      },
      () => ['a', 'b'],
    );
  assert.throws(throwing(full), full);
  const broken = new Error('BUG: of all');
  assert.throws(throwing(broken), broken);
});

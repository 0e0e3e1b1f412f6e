/** Samples as far apart as they are: an interval of its own decides for how long a sample stands. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  DAY_WINDOW,
  nodeSeries,
  podSeries,
  WORLD_NOW,
  type Scraped,
} from '../../support/fleets/worlds.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import type { TestSeries } from '../../support/stores/samples-encoding.ts';
import { startScriptedStore, type ScriptedStore } from '../../support/stores/scripted-store.ts';
import { remoteReads } from '../../support/stores/series-store.ts';

interface Case {
  readonly what: string;
  readonly state: Scraped;
  readonly cadvisor?: Scraped;
  /** Core-hours of requests, of usage above them, and dollars of an empty node. */
  readonly hours?: number;
  readonly warning?: RegExp;
}

const every = (everySeconds: number, more: Scraped = {}): Scraped => ({ everySeconds, ...more });
/** 8 cores at 5 cents, 32 GiB at 0.6 cents. */
const NODE_HOUR_USD = 0.592;

const CASES: readonly Case[] = [
  { what: '15 seconds', state: every(15) },
  { what: '5 minutes', state: every(300) },
  { what: '10 minutes with 2 s of jitter', state: every(600, { jitterSeconds: 2 }) },
  { what: '3 minutes beside 30 seconds', state: every(180), cadvisor: every(30) },
  { what: '15 minutes', state: every(900) },
  { what: '15 minutes with 20 s of jitter', state: every(900, { jitterSeconds: 20 }) },
  { what: '15 minutes beside 1 minute', state: every(900), cadvisor: every(60) },
  { what: '1 minute beside 15 minutes', state: every(60), cadvisor: every(900) },
  { what: '20 minutes', state: every(1200) },
  { what: 'an hour, as Thanos downsamples', state: every(3600) },
  {
    what: '1 minute with two hours missing',
    state: every(60, { gaps: [[10, 12]] }),
    hours: 22,
    warning: /2 nodes have gaps/,
  },
  {
    what: '15 minutes with two hours missing',
    state: every(900, { gaps: [[10, 12]] }),
    hours: 22,
    warning: /2 nodes have gaps/,
  },
];

let held: readonly TestSeries[] = [];
let store: ScriptedStore;
let server: BundleServer;

before(async () => {
  store = await startScriptedStore(remoteReads(() => held));
  server = await startBundleServer([
    `--metrics-url=${store.url}`,
    `--now=${WORLD_NOW}`,
    '--workers=2',
  ]);
});
after(async () => {
  await server.stop();
  await store.stop();
});

interface Row {
  readonly cpuCoreHours: number;
  readonly totalCost: number;
}

async function ask(
  query: string,
  aggregate: string = 'pod',
): Promise<{ rows: Readonly<Record<string, Row>>; warnings: string }> {
  const answer = await server.compute(
    `aggregate=${aggregate}&idle=true&idleByNode=true&splitIdle=true&${query}`,
  );
  assert.equal(answer.status, 200, answer.text);
  const body = JSON.parse(answer.text) as {
    readonly data: readonly Readonly<Record<string, Row>>[];
    readonly warnings?: readonly string[];
  };
  return { rows: body.data[0] ?? {}, warnings: (body.warnings ?? []).join('\n') };
}

function near(actual: number | undefined, expected: number, tolerance: number, what: string): void {
  const off = Math.abs((actual ?? NaN) - expected);
  assert.ok(off <= tolerance * expected, `${what}: ${actual}, not ${expected}`);
}

for (const { what, state, cadvisor = state, hours = 24, warning } of CASES)
  for (const resolution of ['exact', '1m', '1h'])
    test(`${what}, ${resolution}`, async () => {
      const exporters = { state, cadvisor };
      held = [
        ...nodeSeries('n1', exporters),
        ...nodeSeries('n2', exporters),
        ...podSeries({ containers: [{ cores: 2, gib: 2, usedCores: 0.5 }] }, exporters),
        ...podSeries(
          { name: 'burst', containers: [{ cores: 0.5, gib: 1, usedCores: 1 }] },
          exporters,
        ),
      ];
      const { rows, warnings } = await ask(`window=${DAY_WINDOW}&resolution=${resolution}`);
      near(rows['web-1']?.cpuCoreHours, 2 * hours, 0.02, 'requests');
      near(rows['burst']?.cpuCoreHours, hours, 0.02, 'usage');
      const idle = Object.entries(rows).find(([name]) => name.includes('n2/__idle__'));
      near(idle?.[1].totalCost, NODE_HOUR_USD * hours, 0.02, 'an empty node');
      assert.match(warnings, warning ?? /^(?!.*gaps)/s);
    });

for (const [what, everySeconds] of [
  ['15 minutes', 900],
  ['an hour', 3600],
] as const)
  test(`${what}: windows of an hour add up to the day`, async () => {
    const exporters = { state: every(everySeconds), cadvisor: every(everySeconds) };
    held = [
      ...nodeSeries('n1', exporters),
      ...podSeries({ containers: [{ cores: 2, gib: 2, usedCores: 3 }] }, exporters),
    ];
    for (const hour of ['03', '11']) {
      const window = `2026-11-20T${hour}:20:00Z,2026-11-20T${hour}:50:00Z`;
      const { rows } = await ask(`window=${window}&resolution=exact`);
      near(rows['web-1']?.cpuCoreHours, 1.5, 0.02, hour);
    }
  });

for (const everySeconds of [900, 3600])
  test(`a pod with two samples, ${everySeconds} s apart, pays for usage above its request`, async () => {
    const interval = everySeconds / 3600;
    const state = every(everySeconds);
    const short = every(everySeconds, { hours: [6, 6 + 1.5 * interval] });
    held = [
      ...nodeSeries('n1', { state }),
      ...podSeries({ containers: [{ cores: 2, gib: 2 }] }, { state, cadvisor: state }),
      ...podSeries(
        { name: 'short', containers: [{ cores: 0.5, gib: 1, usedCores: 3 }] },
        { state: short, cadvisor: short },
      ),
    ];
    const { rows, warnings } = await ask(`window=${DAY_WINDOW}&resolution=exact`);
    // From its first sample to half an interval after its last, as no end is told.
    near(rows['short']?.cpuCoreHours, 3 * 1.5 * interval, 0.34, 'usage');
    near(rows['web-1']?.cpuCoreHours, 48, 0.02, 'requests');
    assert.match(warnings, /^(?!.*gaps)/s);
  });

for (const everySeconds of [60, 900])
  test(`a pod that is gone is not billed, at ${everySeconds} s`, async () => {
    const state = every(everySeconds);
    const ended = every(everySeconds, { hours: [-4, 6], isEnded: true });
    held = [
      ...nodeSeries('n1', { state }),
      ...podSeries({ containers: [{ cores: 2, gib: 2 }] }, { state: ended, cadvisor: ended }),
    ];
    for (const resolution of ['exact', '1m']) {
      const { rows } = await ask(`window=${DAY_WINDOW}&resolution=${resolution}`);
      // On a grid both ends are late by an interval (docs/how-it-counts.md).
      near(rows['web-1']?.cpuCoreHours, 12, everySeconds / 21600 + 0.005, resolution);
    }
  });

const inCluster = (cluster: string, series: readonly TestSeries[]): TestSeries[] =>
  series.map((one) => ({
    ...one,
    labels: [...one.labels, ['cluster_id', cluster] as const].sort(([a], [b]) => (a < b ? -1 : 1)),
  }));

/** A node, a pod for the day, and others with one, two and three samples, that use more than they request. */
function clusterOf(everySeconds: number, pods: number): TestSeries[] {
  const interval = everySeconds / 3600;
  const state = every(everySeconds);
  const lasting = Array.from({ length: pods }, (_, i) => ({ name: `web-${i}`, scraped: state }));
  const brief = [1, 2, 3].map((samples) => ({
    name: `brief-${samples}`,
    scraped: every(everySeconds, { hours: [11, 11 + (samples - 0.5) * interval] }),
  }));
  const containers = [{ cores: 0.5, gib: 1, usedCores: 3 }];
  return inCluster(`every-${everySeconds}`, [
    ...nodeSeries('n1', { state }),
    ...[...lasting, ...brief].flatMap(({ name, scraped }) =>
      podSeries({ name, containers }, { state: scraped, cadvisor: scraped }),
    ),
  ]);
}

/** @param clusters series of each */
async function answersAloneAndTogether(
  clusters: readonly (readonly TestSeries[])[],
  query: string,
): Promise<void> {
  const rowsOf = async (series: readonly TestSeries[]): Promise<object> => {
    held = series;
    return (await ask(query, 'cluster,node,namespace,pod,container')).rows;
  };
  const alone: object = {};
  for (const series of clusters) Object.assign(alone, await rowsOf(series));
  assert.deepEqual(await rowsOf(clusters.flat()), alone);
  assert.ok(Object.keys(alone).length >= 2 * clusters.length);
}

const MORNING = '2026-11-20T09:10:00Z,2026-11-20T14:10:00Z';

for (const [what, window] of [
  ['the day', DAY_WINDOW],
  ['a morning', MORNING],
  ['an hour', '2026-11-20T10:20:00Z,2026-11-20T11:20:00Z'],
] as const)
  for (const resolution of ['exact', '1m'])
    for (const everySeconds of [120, 900, 3600])
      test(`${what}, ${resolution}: clusters at 15 and ${everySeconds} seconds in one store have the rows of each alone`, async () => {
        const clusters = [clusterOf(15, 9), clusterOf(everySeconds, 3)];
        await answersAloneAndTogether(clusters, `window=${window}&resolution=${resolution}`);
      });

test('usage read for a cluster whose kube-state-metrics was down does not lengthen pods of another', async () => {
  const down = { state: every(60, { gaps: [[10.5, 11.5]] }), cadvisor: every(60) };
  const containers = [{ cores: 0.5, gib: 1, usedCores: 3 }];
  const brief = {
    state: every(120, { hours: [11.03, 11.06] }),
    cadvisor: every(30, { hours: [11.01, 11.06] }),
  };
  const clusters = [
    inCluster('down', [...nodeSeries('n1', down), ...podSeries({ containers }, down)]),
    inCluster('brief', [
      ...nodeSeries('n1', { state: every(120) }),
      ...podSeries({ containers }, brief),
    ]),
  ];
  for (const resolution of ['exact', '1m'])
    await answersAloneAndTogether(clusters, `window=${MORNING}&resolution=${resolution}`);
});

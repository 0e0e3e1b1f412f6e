/** Answers over a store that says it could not give everything, or that has not got everything. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { A, NODE, POD_A } from '../../support/fleets/odd-parts.ts';
import {
  DAY_WINDOW,
  nodeSeries,
  podSeries,
  WORLD_NOW,
  type Exporters,
  type Scraped,
} from '../../support/fleets/worlds.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { HOUR_WINDOW, NOW } from '../../support/fleets/pod-store.ts';
import {
  startScriptedStore,
  type Reply,
  type ScriptedStore,
} from '../../support/stores/scripted-store.ts';
import type { TestSeries } from '../../support/stores/samples-encoding.ts';
import { promQueries, remoteReads } from '../../support/stores/series-store.ts';

interface Case {
  readonly name: string;
  /** What the store puts beside its data. */
  readonly says?: object;
  readonly window?: string;
  readonly warnings: readonly RegExp[];
  readonly isPartial: boolean;
}

const CASES: readonly Case[] = [
  { name: 'nothing: it is whole', warnings: [], isPartial: false },
  {
    name: 'a warning of Thanos',
    says: { warnings: ['No StoreAPIs matched for this query'] },
    warnings: [/^Prometheus at .*: No StoreAPIs matched for this query$/],
    isPartial: true,
  },
  {
    name: "VictoriaMetrics' mark of a partial answer",
    says: { isPartial: true },
    warnings: [/^Prometheus at .*: the answer is partial$/],
    isPartial: true,
  },
  {
    name: 'two warnings, each of which comes with every slice: each is told once',
    says: { warnings: ['one', 'two'] },
    warnings: [/: one$/, /: two$/],
    isPartial: true,
  },
  {
    name: 'nothing, and its first sample is half an hour late',
    window: '2024-05-01T08:30:00Z,2024-05-01T10:00:00Z',
    warnings: [/^the store's first sample of a pod is at 2024-05-01T09:00:00.000Z: earlier cost/],
    isPartial: true,
  },
];

let reply: Reply;
let store: ScriptedStore;
let server: BundleServer;
/** The same store, with the clock of the worlds. */
let worlds: BundleServer;

before(async () => {
  store = await startScriptedStore((response, request) => reply(response, request));
  const flags = [`--metrics-url=${store.url}`, `--now=${NOW}`, '--metrics-reader=query-range'];
  server = await startBundleServer(flags);
  worlds = await startBundleServer([`--metrics-url=${store.url}`, `--now=${WORLD_NOW}`]);
});

after(async () => {
  await server.stop();
  await worlds.stop();
  await store.stop();
});

describe('an answer from a store that says', () => {
  for (const { name, says = {}, window = HOUR_WINDOW, warnings, isPartial } of CASES)
    test(name, async () => {
      reply = promQueries(() => [...A, ...NODE], says);
      const query = `window=${window}&resolution=exact&aggregate=namespace`;
      const answer = await server.compute(query);
      const csv = await fetch(`${server.url}/model/allocation/compute?${query}&format=csv`);
      await csv.text();
      assert.equal(answer.status, 200, answer.text);
      const told = JSON.parse(answer.text) as {
        readonly data: readonly [{ readonly team: { readonly totalCost: number } }];
        readonly warnings?: readonly string[];
        readonly partial?: boolean;
      };
      const cost = told.data[0].team.totalCost;
      assert.ok(Math.abs(cost - (POD_A['totalCost'] ?? NaN)) < 1e-9, String(cost));
      assert.equal(told.warnings?.length ?? 0, warnings.length, String(told.warnings));
      warnings.forEach((wanted, i) => assert.match(told.warnings?.[i] ?? '', wanted));
      assert.equal(told.partial, isPartial ? true : undefined);
      assert.equal(csv.headers.get('x-prorata-partial'), isPartial ? 'true' : null);
      const said = csv.headers.get('x-prorata-warnings');
      assert.equal(said, warnings.length === 0 ? null : (told.warnings ?? []).join('; '));
    });
});

/** When kube-state-metrics shows a pod, and cAdvisor its usage; another pod is shown all the time. */
interface Outage {
  readonly what: string;
  readonly window?: string;
  readonly state: Scraped;
  readonly cadvisor?: Scraped;
  /** It requests 3 cores and uses 0.75. */
  readonly coreHours: number;
  /** For which its requests are unknown; null: they are known. */
  readonly unknownHours: string | null;
}

const hours = (from: string, to: string): string =>
  `2026-11-20T${from}:00:00Z,2026-11-20T${to}:00:00Z`;

const OUTAGES: readonly Outage[] = [
  { what: 'lasts the whole window', window: hours('10', '11'), state: { gaps: [[8, 14]] }, coreHours: 0.75, unknownHours: '1.00' },
  { what: 'begins within the window', window: hours('07', '12'), state: { gaps: [[8, 14]] }, coreHours: 2.975, unknownHours: '4.01' },
  { what: 'begins within the window and never ends', window: DAY_WINDOW, state: { gaps: [[8, 28]] }, coreHours: 23.975, unknownHours: '16.01' },
  { what: 'ends within the window', window: DAY_WINDOW, state: { gaps: [[-6, 14]] }, coreHours: 30, unknownHours: '14.00' },
  { what: 'begins and ends within the window', state: { gaps: [[8, 14]] }, coreHours: 72, unknownHours: null },
  { what: 'is no longer than what is read beyond the window', window: hours('10', '11'), state: { gaps: [[9.9, 11.1]] }, coreHours: 3, unknownHours: null },
  { what: 'begins minutes before the window', window: hours('10', '11'), state: { gaps: [[9.9, 14]] }, coreHours: 0.75, unknownHours: '1.00' },
  { what: 'ends minutes after the window', window: hours('10', '11'), state: { gaps: [[8, 11.1]] }, coreHours: 0.75, unknownHours: '1.00' },
  { what: 'begins minutes before the window and never ends', window: hours('10', '11'), state: { gaps: [[9.95, 28]] }, coreHours: 0.75, unknownHours: '1.00' },
  { what: 'is none, and the pod ends minutes before the window', window: hours('10', '11'), state: { hours: [-4, 9.9], isEnded: true }, cadvisor: { hours: [-4, 10.05] }, coreHours: 0, unknownHours: null },
  { what: 'is none, and the pod ends with its usage', state: { hours: [-4, 12], isEnded: true }, cadvisor: { hours: [-4, 12.05], isEnded: true }, coreHours: 36, unknownHours: null },
  { what: 'is none, and usage is shown for minutes after the pod', state: { hours: [-4, 12], isEnded: true }, cadvisor: { hours: [-4, 12.1] }, coreHours: 36, unknownHours: null },
  { what: 'is none, and samples are a quarter of an hour apart', state: { everySeconds: 900, hours: [-4, 12] }, cadvisor: { everySeconds: 900, hours: [-4, 12.25] }, coreHours: 36.4, unknownHours: null },
]; // prettier-ignore

describe('an outage of the shard of kube-state-metrics that has a pod', () => {
  for (const { what, window = DAY_WINDOW, state, cadvisor, coreHours, unknownHours } of OUTAGES)
    test(what, async () => {
      const exporters: Exporters = { state, cadvisor };
      const all: readonly TestSeries[] = [
        ...nodeSeries('n1', { state }),
        ...nodeSeries('n2'),
        ...podSeries({ containers: [{ cores: 3, gib: 1, usedCores: 0.75 }] }, exporters),
        ...podSeries({ name: 'other', node: 'n2', containers: [{ cores: 1, gib: 1 }] }),
      ];
      reply = remoteReads(() => all);
      const query = `window=${window}&resolution=exact&aggregate=pod`;
      const answer = await worlds.compute(query);
      assert.equal(answer.status, 200, answer.text);
      const {
        data,
        warnings = [],
        partial = false,
      } = JSON.parse(answer.text) as {
        readonly data: readonly Readonly<Record<string, { readonly cpuCoreHours: number }>>[];
        readonly warnings?: readonly string[];
        readonly partial?: boolean;
      };
      const actual = data[0]?.['web-1']?.cpuCoreHours ?? 0;
      assert.ok(Math.abs(actual - coreHours) <= 0.02 * coreHours, `${actual} core-hours`);
      const unseen = warnings.filter((text) => text.includes('does not show them'));
      const wanted = `pods that use CPU or memory while kube-state-metrics does not show them (default-cluster/shop/web-1): 1; their requests of ${unknownHours} hours are unknown`;
      assert.deepEqual(unseen, unknownHours === null ? [] : [wanted]);
      assert.equal(partial, unknownHours !== null);
    });
});

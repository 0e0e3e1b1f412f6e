/** Answers over a store that says it could not give everything, or that has not got everything. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { A, NODE, POD_A } from '../../support/fleets/odd-parts.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { HOUR_WINDOW, NOW } from '../../support/fleets/pod-store.ts';
import {
  startScriptedStore,
  type Reply,
  type ScriptedStore,
} from '../../support/stores/scripted-store.ts';
import { promQueries } from '../../support/stores/series-store.ts';

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

before(async () => {
  store = await startScriptedStore((response, request) => reply(response, request));
  const flags = [`--metrics-url=${store.url}`, `--now=${NOW}`, '--metrics-reader=query-range'];
  server = await startBundleServer(flags);
});

after(async () => {
  await server.stop();
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

/** Costs to be shared in computed answers where nobody is there to bear them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { A, NODE } from '../../support/fleets/odd-parts.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { NOW } from '../../support/fleets/pod-store.ts';
import { startScriptedStore, type ScriptedStore } from '../../support/stores/scripted-store.ts';
import { promQueries } from '../../support/stores/series-store.ts';

/** The pod runs up to 12:00, its node longer. */
const HOURS = { pod: '10:00/11:00', both: '11:05/12:35', later: '12:05/12:35' } as const;
const SHARED = 'shareCost=30.42';
const nobody = /^\$(\S+) of shareCost is charged to no row: there is no workload to bear it$/;
const leftOut = /^\$(\S+) of shareCost is charged only to rows that the filter leaves out$/;
const staying = /^no workload is there to bear the costs of shared namespaces or labels: they stay/;

const CASES: readonly (readonly [
  name: string, hours: keyof typeof HOURS, query: string, warning: RegExp | null, hours: number,
])[] = [
  ['a pod bears all of it', 'pod', SHARED, null, 0],
  ['the pod of a part of the window bears all of it', 'both', SHARED, null, 0],
  ['the pod ended before', 'later', SHARED, nobody, 0.5],
  ['the pod ended before, and idle is left', 'later', `${SHARED}&idle=true`, nobody, 0.5],
  ['idle is left, and shared', 'later', `${SHARED}&idle=true&shareIdle=true`, nobody, 0.5],
  ['the pod ended before the last of three steps', 'both', `${SHARED}&step=30m`, nobody, 0.5],
  ['the pod is filtered out', 'pod', `${SHARED}&filter=namespace:"x"`, leftOut, 1],
  ['the only namespace is shared', 'pod', 'shareNamespaces=team', staying, 0],
]; // prettier-ignore

let store: ScriptedStore;
let server: BundleServer;
before(async () => {
  store = await startScriptedStore(promQueries(() => [...A, ...NODE]));
  const flags = [`--metrics-url=${store.url}`, `--now=${NOW}`, '--metrics-reader=query-range'];
  server = await startBundleServer(flags);
});
after(async () => {
  await server.stop();
  await store.stop();
});

interface Body {
  readonly data: readonly Readonly<Record<string, { readonly totalCost: number }>>[];
  readonly warnings?: readonly string[];
}

const usdIn = ({ data }: Body): number =>
  data.flatMap((set) => Object.values(set)).reduce((sum, { totalCost }) => sum + totalCost, 0);

describe('what is shared in a computed answer, where', () => {
  for (const [name, of, query, warning, hours] of CASES)
    test(name, async () => {
      const [start, end] = HOURS[of].split('/').map((time) => `2024-05-01T${time}:00Z`);
      const asked = `window=${start},${end}&resolution=exact&aggregate=namespace&${query}`;
      const body = JSON.parse((await server.compute(asked)).text) as Body;
      const told = (body.warnings ?? []).filter((text) => /shareCost|to bear/.test(text));
      assert.equal(told.length, warning === null ? 0 : 1, String(body.warnings));
      const [, usd = '0'] = warning?.exec(told[0] ?? '') ?? [];
      if (warning) assert.match(told[0] ?? '', warning);
      assert.ok(Math.abs(Number(usd) - hours / 24) < 1e-12, usd);
      const lines = await fetch(`${server.url}/model/allocation/compute?${asked}&format=ndjson`);
      await lines.text();
      assert.equal((lines.headers.get('x-prorata-warnings') ?? '').includes(told[0] ?? ''), true);
      if (warning === leftOut) return;
      const bare = await server.compute(asked.replace(SHARED, 'shareCost=0'));
      const wholeHours = (Date.parse(end ?? '') - Date.parse(start ?? '')) / 3_600_000;
      const shared = query.startsWith(SHARED) ? wholeHours / 24 : 0;
      const expected = usdIn(JSON.parse(bare.text) as Body) + shared - Number(usd);
      assert.ok(Math.abs(usdIn(body) - expected) < 1e-9, `${usdIn(body)}, not ${expected}`);
    });
});

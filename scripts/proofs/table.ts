/**
 * What `npm run prove` runs: the long forms of tests of which the gate runs a sample, and the scripts that search.
 * Minutes are of CPU, on two slow cores.
 */
import type { SourceFile } from '../../test/support/source-text.ts';

interface Named {
  readonly name: string;
  /** Folders of `src` that it is about; `all` for the server as a whole. */
  readonly rooms: readonly string[];
  readonly what: string;
  readonly cpuMinutes: number;
  /** It measures time, so that nothing else may run beside it. */
  readonly isAlone?: boolean;
}

export interface TestProof extends Named {
  /** Paths of test files without `test/` and the ending, or those that draw properties. */
  readonly files: readonly string[] | 'properties';
  /** Besides `PROVE=1`, `PROPERTY_RUNS=100` and `PROPERTY_SEED=1`. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ScriptProof extends Named {
  readonly script: string;
  readonly args: string;
  /** What its output says of how much it tried. */
  readonly count: RegExp;
}

export type Proof = TestProof | ScriptProof;

export const PROOFS: readonly Proof[] = [
  { name: 'months', rooms: ['allocation', 'storage', 'receiver'], what: 'months of faults', cpuMinutes: 2, files: ['scripts/simulate', 'scripts/simulate-planted'], env: { SEEDS: '200' } },
  { name: 'fleets', rooms: ['allocation'], what: 'random fleets against closed forms', cpuMinutes: 6, files: ['allocation/compute/random-fleets'], env: { FLEETS: '2000' } },
  { name: 'accuracy', rooms: ['allocation'], what: 'every aggregate of the demo within the bounds that its rows state', cpuMinutes: 1, files: ['allocation/compute/stated-accuracy'], env: {} },
  { name: 'overfull-fleets', rooms: ['allocation', 'assets'], what: 'overfull fleets against their nodes', cpuMinutes: 4, files: ['allocation/compute/overfull-fleets'], env: { FLEETS: '400' } },
  { name: 'absent-objects', rooms: ['allocation', 'assets', 'storage'], what: 'clusters without kinds of objects, in one store and alone', cpuMinutes: 3, files: ['allocation/compute/absent-objects'], env: {} },
  { name: 'leases', rooms: ['storage'], what: 'schedules of builders', cpuMinutes: 3, files: ['storage/objects/lease'], env: { LEASE_RUNS: '2000' } },
  { name: 'object-logs', rooms: ['storage'], what: 'schedules of logs in a bucket', cpuMinutes: 2, files: ['storage/objects/object-logs'], env: { OBJECT_LOG_RUNS: '400' } },
  { name: 'collections', rooms: ['collections', 'storage'], what: 'schedules of changes', cpuMinutes: 3, files: ['collections/shared-collections'], env: { SHARED_COLLECTION_RUNS: '300' } },
  { name: 'cost-events', rooms: ['audit', 'storage'], what: 'schedules of cost events', cpuMinutes: 2, files: ['audit/shared-events'], env: { SHARED_EVENT_RUNS: '300' } },
  { name: 'replicas', rooms: ['server', 'storage'], what: 'killed builders of one bucket', cpuMinutes: 3, files: ['server/parts/replicas'], env: { REPLICA_KILLS: '20' } },
  { name: 'receivers', rooms: ['receiver', 'tsdb'], what: 'killed receivers', cpuMinutes: 5, files: ['receiver/ingest/kills'], env: { RECEIVER_KILLS: '100' } },
  { name: 'agent-buffer', rooms: ['agent'], what: "killed writers of the agent's buffer", cpuMinutes: 1, files: ['agent/sending/batch-queue'], env: { RUNS: '200' } },
  { name: 'stores', rooms: ['storage', 'commands'], what: 'recorded requests over every store', cpuMinutes: 8, files: ['commands/store-in-bucket', 'commands/clickhouse-answers'], env: { STORES: '1' } },
  { name: 'added-up', rooms: ['storage', 'allocation'], what: 'random days added up by ClickHouse', cpuMinutes: 2, files: ['allocation/reduced/added-up-rows'], env: { ADDED_UP_RUNS: '12' } },
  { name: 'page', rooms: ['web', 'page'], what: 'each view and state at every width, light and dark', cpuMinutes: 1, files: ['web/browser/views'], env: {} },
  { name: 'image', rooms: ['http', 'server'], what: "the image's tree by Node 24 in a Debian 13 root", cpuMinutes: 1, files: ['deploy/image'], env: { IMAGE_ROOT: '1' } },
  { name: 'scopes', rooms: ['access', 'allocation'], what: 'random filters of callers', cpuMinutes: 1, files: ['access/scopes'], env: { SCOPES: '1000' } },
  { name: 'two-worlds', rooms: ['access', 'http'], what: 'every route and parameter of /openapi.json in two worlds that differ in rows of others, and planted leaks', cpuMinutes: 6, files: ['access/worlds', 'access/planted-leaks'], env: {} },
  { name: 'walks', rooms: ['access', 'http'], what: 'every route with every credential', cpuMinutes: 1, files: ['access/walk', 'access/walk-oidc'], env: {} },
  { name: 'damaged-answers', rooms: ['storage', 'server'], what: 'every damage of a folder at every time', cpuMinutes: 1, files: ['commands/damaged-answers'], env: {} },
  { name: 'large-answers', rooms: ['http', 'allocation'], what: 'large answers, first, again and beside others', cpuMinutes: 1, files: ['scripts/torture'], env: {} },
  { name: 'zones', rooms: ['allocation', 'query'], what: 'years of stored days in every zone', cpuMinutes: 1, files: ['allocation/stored/stored-zones'], env: {} },
  { name: 'described-requests', rooms: ['http'], what: 'requests made of the OpenAPI document, beside the recorded ones', cpuMinutes: 1, files: ['commands/recorded-answers'], env: { DESCRIBED_REQUESTS: '500' } },
  { name: 'properties', rooms: ['all'], what: 'every property, by the seed of the gate', cpuMinutes: 6, files: 'properties', env: {} },
  { name: 'random-properties', rooms: ['all'], what: 'every property, by new seeds', cpuMinutes: 6, files: 'properties', env: { PROPERTY_SEED: 'random' } },
  { name: 'further-months', rooms: ['allocation', 'storage', 'receiver'], what: 'months of other seeds', cpuMinutes: 3, script: 'simulate', args: '--seeds 300 --seed 1001', count: /\d+ months held.*/ },
  { name: 'fuzz', rooms: ['http', 'server'], what: 'hostile requests', cpuMinutes: 6, isAlone: true, script: 'fuzz', args: '--requests 100000 --seconds 240 --seed 2', count: /\d+ requests in \d+ s/ },
  { name: 'fuzz-openapi', rooms: ['http', 'server'], what: 'requests made of the OpenAPI document', cpuMinutes: 4, script: 'fuzz', args: '--openapi 20000 --seed 2', count: /\d+ requests of \S+/ },
  { name: 'torture', rooms: ['http', 'allocation'], what: 'large answers, byte for byte', cpuMinutes: 10, isAlone: true, script: 'torture', args: '--minutes 5 --seed 2', count: /\d+ answers.*/ },
  { name: 'resident', rooms: ['http', 'server', 'pool'], what: 'resident memory under mixed load', cpuMinutes: 1, isAlone: true, files: ['commands/resident'], env: {} },
  { name: 'hostile-files', rooms: ['billing'], what: 'damaged Parquet', cpuMinutes: 3, files: ['billing/deliveries/hostile-parquet'], env: { MUTATIONS: '2000' } },
  { name: 'hostile-requests', rooms: ['http', 'server'], what: 'hostile requests over a week of the demo', cpuMinutes: 1, files: ['scripts/fuzz'], env: {} },
  { name: 'soak', rooms: ['all'], what: 'faults at half load', cpuMinutes: 8, isAlone: true, script: 'soak', args: '--minutes 5', count: /\d+ faults.*/ },
  { name: 'kill-bucket', rooms: ['storage', 'server'], what: 'servers and their bucket killed under load', cpuMinutes: 4, script: 'soak', args: '--kill bucket --minutes 3', count: /\d+ kills.*/ },
  { name: 'kill-clickhouse', rooms: ['storage', 'server'], what: 'servers and ClickHouse killed under load', cpuMinutes: 4, script: 'soak', args: '--kill clickhouse --minutes 3', count: /\d+ kills.*/ },
  { name: 'cluster-day', rooms: ['agent', 'cluster', 'receiver'], what: 'a day of a simulated cluster', cpuMinutes: 4, script: 'cluster-day', args: '--nodes 40 --pods 1000 --faults --real 0', count: /rows compared +\d+/ },
  { name: 'scraped-costs', rooms: ['metrics', 'allocation'], what: 'costs in /metrics, scraped by Prometheus', cpuMinutes: 2, script: 'scrape-costs', args: '--minutes 5', count: /differ by at most .*/ },
]; // prettier-ignore

export function isOf({ name, rooms }: Proof, nameOrRoom: string): boolean {
  return name === nameOrRoom || rooms.includes(nameOrRoom);
}

/** Environment of its tests, as typed before a command. */
export function variablesOf({ env }: TestProof): Readonly<Record<string, string>> {
  return { PROVE: '1', PROPERTY_RUNS: '100', PROPERTY_SEED: '1', ...env };
}

const DRAWS_PROPERTIES = /^import .* from 'fast-check';$/m;

/** Paths from the root. */
export function filesOf({ files }: TestProof, sources: readonly SourceFile[]): readonly string[] {
  if (files !== 'properties') return files.map((name) => `test/${name}.test.ts`);
  return sources
    .filter(({ path, text }) => path.endsWith('.test.ts') && DRAWS_PROPERTIES.test(text))
    .map(({ path }) => path);
}

/** What runs a proof in a shell, without the runner. */
export function commandOf(proof: Proof): string {
  if ('script' in proof) return `node --import tsx scripts/${proof.script}.ts ${proof.args}`;
  const env = Object.entries(variablesOf(proof)).filter(([name]) => !name.startsWith('PROPERTY_'));
  const files =
    proof.files === 'properties' ? [] : proof.files.map((name) => `test/${name}.test.ts`);
  return [...env.map((each) => each.join('=')), 'node --import tsx --test', ...files].join(' ');
}

/** What clients ask of the installation: clusters, configuration, prices of nodes and their sources. */
import { ALL_ASSET_COLUMNS } from '../assets/asset-list.ts';
import { holdSets, type HotSets } from '../allocation/index.ts';
import { answeringWhole, caveatFields, json, paramsOf, withWarnings, type Route } from '../http/index.ts'; // prettier-ignore
import type { Admission, Compute } from '../pool/index.ts';
import { FoundCaveats, withNotes, type Caveats, type Window } from '../query/index.ts';
import type { QueriedSets } from '../storage/index.ts';
import { clusterInfoOf, configsOf, productConfigsOf, type Installation } from './config-json.ts';
import type { NodeReport } from './node-reports.ts';
import type { InstallationTasks } from './tasks.ts';

export interface InstallationOptions {
  readonly about: Installation;
  readonly sets: QueriedSets;
  readonly hot: HotSets;
  readonly compute: Compute<InstallationTasks>;
  readonly admission: Admission;
}

export function installationRoutes(options: InstallationOptions): Route[] {
  const { about } = options;
  const info = clusterInfoOf(about);
  return [
    told('/clusterInfo', () => ({ code: 200, data: info })),
    told('/getConfigs', () => ({ code: 200, data: configsOf(about) })),
    told('/productConfigs', () => ({ code: 200, data: productConfigsOf(about) })),
    // Bare, as OpenCost answers it: clients look for `version`.
    told('/installInfo', () => ({ version: about.version, clusterInfo: info, containers: [] })),
    reported(options, '/clusterInfoMap', 'clusters', withOwnCluster(about)),
    reported(options, '/allNodePricing', 'nodePricing'),
    reported(options, '/pricingSourceSummary', 'pricingSummary'),
    reported(options, '/pricingSourceCounts', 'pricingCounts'),
    reported(options, '/pricingSourceStatus', 'pricesBySource', (nodes) => statusOf(about, nodes)),
  ];
}

/** A route that tells of no rows. */
function told(path: string, body: () => object): Route {
  return {
    method: 'GET',
    path,
    needs: 'viewer',
    scoping: 'unneeded',
    handle(request) {
      const params = paramsOf(request);
      return json({ ...body(), ...withWarnings(params.ignored()) });
    },
  };
}

interface Reported {
  readonly data: object;
  readonly caveats: Caveats;
}

/** A report of the nodes of the newest assets. */
function reported(
  options: InstallationOptions,
  path: string,
  report: NodeReport,
  shaped: (data: object) => object = (data) => data,
): Route {
  return {
    method: 'GET',
    path,
    needs: 'viewer',
    scoping: { refused: 'nodes and clusters are not of some rows' },
    handle: answeringWhole<null, Reported>({
      plan: () => null,
      turns: options.admission,
      value: (_, { signal }) => readReport(options, report, signal),
      reply: ({ data, caveats }, _, ignored) =>
        json({ code: 200, data: shaped(data), ...caveatFields(withNotes(ignored, caveats)) }),
      isTagged: () => false,
    }),
  };
}

async function readReport(
  { sets, hot, compute }: InstallationOptions,
  report: NodeReport,
  signal: AbortSignal,
): Promise<Reported> {
  const caveats = new FoundCaveats();
  const wanted = { kind: 'assets', days: newestAssets(sets), columns: ALL_ASSET_COLUMNS };
  const held = await holdSets({ sets, hot }, wanted, caveats);
  const input = { report, sets: held.sets };
  const data = await compute.pool.run('nodeReport', input, signal).finally(held.release);
  return { data, caveats };
}

/** The window of the set that ends last; none where nothing is stored. */
function newestAssets(sets: QueriedSets): Window[] {
  const keys = sets.list('assets').map(({ key }) => key);
  const [newest] = keys.toSorted((a, b) => b.endMs - a.endMs || a.startMs - b.startMs);
  return newest ? [{ startMs: newest.startMs, endMs: newest.endMs }] : [];
}

/** The server's own cluster is known before anything of it is stored. */
function withOwnCluster({ clusterId }: Installation): (data: object) => object {
  const own = {
    id: clusterId,
    name: clusterId,
    profile: '',
    provider: '',
    account: '',
    project: '',
    region: '',
    provisioner: '',
    nodes: 0,
  };
  return (data) => (clusterId in data ? data : { ...data, [clusterId]: own });
}

/** `available`: a source that is switched on and prices a node of the newest assets. */
function statusOf({ sources }: Installation, nodes: object): object {
  const counts = new Map(Object.entries(nodes as Readonly<Record<string, number>>));
  return Object.fromEntries(
    Object.entries(sources).map(([name, enabled]) => {
      const count = counts.get(name) ?? 0;
      return [name, { name, enabled, available: enabled && count > 0, nodes: count }];
    }),
  );
}

/** The assets of one set as a table: listed assets, metered nodes and networks. */
import { ASSET_COLUMNS, NODE_COSTS, NODE_HOURS } from '../../assets/columns.ts';
import {
  columnSpecs,
  createFrame,
  DictionaryBuilder,
  frameTable,
  joinTables,
  numbersOf,
  stackTables,
  textColumn,
  textReader,
  type Arena,
  type Owner,
  type Table,
} from '../../columnar/index.ts';
import { assetsOf, type AssetsAt } from '../ledger/asset-rows.ts';
import { joined } from '../row/joined.ts';
import { AllocationsByNode, eachNode, NodeRows, spansOf } from './allocations-by-node.ts';

/** Inputs in the arena. */
export interface AssetParts {
  readonly assets: AssetsAt;
  /** Rows of nodes, as set-rows.ts gives them. */
  readonly nodes: Table;
  /** Rows of containers, likewise. */
  readonly allocations: readonly Table[];
}

/** @param set its place among the ledger's */
export function assetTable(arena: Arena, owner: Owner, parts: AssetParts, set: number): Table {
  const listed = assetsOf(arena, parts.assets, set);
  const metered = meteredNodes(arena, owner, listed, parts.nodes, usageOf(parts));
  const networks = networkAssets(arena, owner, parts.allocations, cloudsOf(listed));
  return stackTables(arena, owner, [joinTables([metered, listed]), networks], ASSET_COLUMNS);
}

/** Columns of a node's usage, each with the measure of rows that it sums, and whether of the system alone. */
const USED = [
  ['cpuCoreUsageHours', 'cpuCoreUsageHours', false],
  ['cpuCoreSystemHours', 'cpuCoreUsageHours', true],
  ['ramByteUsageHours', 'ramByteUsageHours', false],
  ['ramByteSystemHours', 'ramByteUsageHours', true],
] as const;
const SYSTEM = 'kube-system';

/** A value for each node, by column. */
type Usage = ReadonlyMap<string, Float64Array>;

function usageOf({ nodes, allocations }: AssetParts): Usage {
  const used = new AllocationsByNode(nodes, allocations);
  const isSystem = allocations.map((table) =>
    Float64Array.from(
      numbersOf(textColumn(table, 'namespace'), (name) => (name === SYSTEM ? 1 : 0)),
    ),
  );
  return new Map(
    USED.map(([column, measure, ofSystem]) => [
      column,
      used.sums(measure, ofSystem ? isSystem : undefined),
    ]),
  );
}

/** Columns beside those of `listed`, and its costs with those of nodes. */
function meteredNodes(
  arena: Arena,
  owner: Owner,
  listed: Table,
  nodes: Table,
  usage: Usage,
): Table {
  const rows = new NodeRows(nodes);
  const spanOf = spansOf(listed);
  const columns = [
    ...[...NODE_HOURS, ...NODE_COSTS].map((name) => [name, nodes.numbers(name)?.values] as const),
    ...usage,
  ];
  const numbers = [...columns.map(([name]) => name), 'cost'];
  const frame = createFrame(arena, columnSpecs({ numbers }), listed.rows, owner);
  for (const name of numbers) frame.f64(name).fill(0);
  const costs = frame.f64('cost');
  costs.set(listed.numbers('cost')?.values ?? []);
  const type = textReader(listed, 'type');
  eachNode(listed, (row, key) => {
    if (type(row) !== 'Node') return;
    const from = rows.nearest(rows.of(key()), () => spanOf(row));
    if (from === undefined) throw new Error('BUG: a listed node was not metered');
    for (const [name, values] of columns) frame.f64(name)[row] = values?.[from] ?? 0;
    costs[row] = NODE_COSTS.reduce((sum, name) => sum + (frame.f64(name)[row] ?? 0), 0);
  });
  return frameTable(frame, new DictionaryBuilder());
}

/** The cloud of each cluster. */
function cloudsOf(listed: Table): Map<string, string> {
  const [cluster, provider] = [textReader(listed, 'cluster'), textReader(listed, 'provider')];
  const clouds = new Map<string, string>();
  for (let row = 0; row < listed.rows; row++) {
    if (provider(row) !== '') clouds.set(cluster(row), provider(row));
  }
  return clouds;
}

const NETWORK_COLUMNS = {
  texts: ['type', 'cluster', 'name', 'node', 'provider'],
  numbers: ['startMs', 'endMs', 'cost'],
};

interface Network {
  readonly cluster: string;
  readonly node: string;
  startMs: number;
  endMs: number;
  cost: number;
}

/** A row for each node whose pods' traffic has a cost: the sum, from the first start to the last end. */
function networkAssets(
  arena: Arena,
  owner: Owner,
  allocations: readonly Table[],
  clouds: ReadonlyMap<string, string>,
): Table {
  const networks = new Map<string, Network>();
  for (const table of allocations) {
    const [clusterOf, nodeOf] = [textReader(table, 'cluster'), textReader(table, 'node')];
    const startsMs = table.numbers('startMs')?.values;
    const endsMs = table.numbers('endMs')?.values;
    table.numbers('networkCost')?.values.forEach((cost, row) => {
      if (cost === 0) return;
      const [cluster, node] = [clusterOf(row), nodeOf(row)];
      const key = joined(cluster, node);
      const none = { cluster, node, startMs: Infinity, endMs: -Infinity, cost: 0 };
      const network = networks.get(key) ?? none;
      network.startMs = Math.min(network.startMs, startsMs?.[row] ?? NaN);
      network.endMs = Math.max(network.endMs, endsMs?.[row] ?? NaN);
      network.cost += cost;
      networks.set(key, network);
    });
  }
  const texts = new DictionaryBuilder();
  const frame = createFrame(arena, columnSpecs(NETWORK_COLUMNS), networks.size, owner);
  [...networks.values()].forEach(({ cluster, node, startMs, endMs, cost }, row) => {
    frame.u32('type')[row] = texts.code('Network');
    frame.u32('cluster')[row] = texts.code(cluster);
    frame.u32('name')[row] = texts.code(node || 'network');
    frame.u32('node')[row] = texts.code(node);
    frame.u32('provider')[row] = texts.code(clouds.get(cluster) ?? '');
    frame.f64('startMs')[row] = startMs;
    frame.f64('endMs')[row] = endMs;
    frame.f64('cost')[row] = cost;
  });
  return frameTable(frame, texts);
}

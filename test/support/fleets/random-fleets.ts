/** Fleets at random: rows as they are stored, assets that they were charged for, and a bill. */
import fc from 'fast-check';
import { WINDOW, type Row } from './charged-fleet.ts';

export interface ChargedFleet {
  readonly rows: readonly Row[];
  readonly assets: readonly Row[];
  readonly bill: readonly Row[];
}

const RESOURCES = ['cpuCost', 'ramCost', 'gpuCost'] as const;
const CLUSTERS = ['c', 'd'] as const;
const HALF_MS = (WINDOW.endMs - WINDOW.startMs) / 2;

const usd = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 20 }), fc.double({ min: 1e-3, max: 1e4, noNaN: true })); // prettier-ignore
/** What is billed of an asset: null where no bill tells of it. */
const billed = fc.option(usd, { freq: 2 });
const times = fc.constantFrom(
  { startMs: WINDOW.startMs, endMs: WINDOW.endMs },
  { startMs: WINDOW.startMs, endMs: WINDOW.startMs + HALF_MS },
  { startMs: WINDOW.startMs + HALF_MS, endMs: WINDOW.endMs },
);

const row = fc.record({
  cluster: fc.constantFrom(...CLUSTERS),
  node: fc.constantFrom('', 'n', 'm', 'gone'),
  namespace: fc.constantFrom('a', 'b'),
  services: fc.constantFrom('', '["s"]', '["s","t"]'),
  costs: fc.tuple(usd, usd, usd),
  networkCost: usd,
  /** Byte-hours of the volumes v and w. */
  byteHours: fc.tuple(fc.nat(3), fc.nat(3)),
  times,
});

const thing = fc.record({ cost: usd, billed, times });
const ofCluster = fc.record({
  nodes: fc.array(fc.record({ costs: fc.tuple(usd, usd, usd), billed, traffic: billed }), { maxLength: 2 }), // prettier-ignore
  volumes: fc.tuple(thing, thing),
  balancers: fc.tuple(thing, thing),
  management: fc.option(thing),
  attached: fc.array(thing, { maxLength: 3 }),
});

export const chargedFleet: fc.Arbitrary<ChargedFleet> = fc
  .record({ rows: fc.array(row, { maxLength: 12 }), clusters: fc.tuple(ofCluster, ofCluster) })
  .map(({ rows, clusters }) => {
    const parts = CLUSTERS.map((cluster, i) =>
      clusterOf(
        cluster,
        rows.filter((each) => each.cluster === cluster),
        clusters[i] ?? clusters[0],
      ),
    );
    return {
      rows: parts.flatMap((part) => part.rows),
      assets: parts.flatMap((part) => part.assets),
      bill: parts.flatMap((part) => part.bill),
    };
  });

type RandomRow = typeof row extends fc.Arbitrary<infer Each> ? Each : never;
type RandomCluster = typeof ofCluster extends fc.Arbitrary<infer Each> ? Each : never;

function clusterOf(
  cluster: string,
  random: readonly RandomRow[],
  { nodes, volumes, balancers, management, attached }: RandomCluster,
): ChargedFleet {
  const bill: Row[] = [];
  const assets: Row[] = [];
  const add = (asset: Row, cost: number | null, category = ''): void => {
    const providerID = `${cluster}/${String(asset['type'])}/${String(asset['name'])}`;
    if (category === '') assets.push({ ...asset, cluster, providerID });
    if (cost !== null) bill.push({ providerID, effectiveCost: cost, category });
  };
  const rows: Row[] = random.map(({ costs, times: own, byteHours: _byteHours, ...rest }, i) => ({
    ...rest, ...own, pod: 'p', container: `k${i}`,
    cpuCost: costs[0], ramCost: costs[1], gpuCost: costs[2],
  })); // prettier-ignore
  // Someone always bears what nobody is behind.
  rows.push({ cluster, namespace: '__unmounted__', container: '__unmounted__' });
  for (const [i, { costs, billed: cost, traffic }] of nodes.entries()) {
    const name = ['n', 'm'][i] ?? '';
    const on = rows.filter((each) => each['node'] === name);
    const idle = RESOURCES.map((resource, r) => {
      const used = on.reduce((sum, each) => sum + Number(each[resource]), 0);
      return [resource, Math.max(0, (costs[r] ?? 0) - used)];
    });
    rows.push({ cluster, node: name, container: '__idle__', ...Object.fromEntries(idle) });
    const byResource = { cpuCost: costs[0], ramCost: costs[1], gpuCost: costs[2] };
    const node = { type: 'Node', name, node: name, ...byResource, cost: costs[0] + costs[1] + costs[2] }; // prettier-ignore
    add(node, cost);
    if (traffic !== null) add(node, traffic, 'Networking');
  }
  mount(
    cluster,
    rows,
    random,
    volumes.map(({ cost }) => cost),
  );
  for (const [i, { cost, billed: paid, times: own }] of volumes.entries()) {
    add({ type: 'Disk', name: ['v', 'w'][i] ?? '', cost, ...own }, paid);
  }
  for (const [i, { cost, billed: paid, times: own }] of balancers.entries()) {
    const target = rows[i % rows.length];
    if (target)
      rows[i % rows.length] = {
        ...target,
        loadBalancerCost: Number(target['loadBalancerCost'] ?? 0) + cost,
      };
    add({ type: 'LoadBalancer', name: `a/${['s', 't'][i] ?? ''}`, cost, ...own }, paid);
  }
  const network = rows.reduce((sum, each) => sum + Number(each['networkCost'] ?? 0), 0);
  if (network > 0) add({ type: 'Network', name: 'network', cost: network }, null);
  if (management)
    add(
      { type: 'ClusterManagement', name: 'cm', cost: management.cost, ...management.times },
      management.billed,
    );
  attached.forEach(({ cost, billed: paid, times: own }, i) => {
    add({ type: 'Disk', name: `disk${i}`, node: 'n', isAttached: 1, cost, ...own }, paid);
  });
  return { rows, assets, bill };
}

/** Divides volumes by byte-hours; what no row has is unmounted. */
function mount(
  cluster: string,
  rows: Row[],
  random: readonly RandomRow[],
  costs: readonly number[],
): void {
  const shares = rows.map((each, i) => {
    const own = random[i]?.byteHours;
    if (own) return own;
    const isUnmounted = each['container'] === '__unmounted__';
    return [0, 1].map((v) => {
      const isUsed = random.some(({ byteHours }) => (byteHours[v] ?? 0) > 0);
      return isUnmounted && !isUsed ? 1 : 0;
    });
  });
  const totals = [0, 1].map((v) => shares.reduce((sum, own) => sum + (own[v] ?? 0), 0));
  shares.forEach((own, i) => {
    const members = [0, 1].flatMap((v) => {
      const byteHours = own[v] ?? 0;
      if (byteHours === 0) return [];
      const cost = ((costs[v] ?? 0) * byteHours) / (totals[v] ?? 1);
      const key = `cluster=${cluster}:name=${['v', 'w'][v] ?? ''}`;
      return [[key, { byteHours, cost, providerID: '', adjustment: 0 }] as const];
    });
    if (members.length === 0) return;
    const pvCost = members.reduce((sum, [, { cost }]) => sum + cost, 0);
    rows[i] = { ...rows[i], pvCost, pvs: JSON.stringify(Object.fromEntries(members)) };
  });
}

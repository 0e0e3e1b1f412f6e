/** Reports of nodes in the shapes of OpenCost (pkg/cloud/models, core/pkg/clusters). */
import type { PricedNode } from './priced-nodes.ts';

export type NodeReport =
  | 'clusters'
  | 'nodePricing'
  | 'pricingSummary'
  | 'pricingCounts'
  | 'pricesBySource';

export const NODE_REPORTS: Readonly<Record<NodeReport, (nodes: readonly PricedNode[]) => object>> =
  {
    clusters: clusterMap,
    nodePricing,
    pricingSummary,
    pricingCounts,
    pricesBySource,
  };

/** What clusters have in common with their nodes, by id; '' where nodes differ or tell nothing. */
function clusterMap(nodes: readonly PricedNode[]): object {
  const clusters = groupedBy(nodes, ({ cluster }) => cluster);
  return Object.fromEntries(
    [...clusters].toSorted(byName).map(([id, of]) => {
      const common = (value: (node: PricedNode) => string): string => {
        const values = new Set(of.map(value));
        return values.size === 1 ? ([...values][0] ?? '') : '';
      };
      return [
        id,
        {
          id,
          name: id,
          profile: '',
          provider: common(({ provider }) => provider),
          account: common(({ account }) => account),
          project: common(({ project }) => project),
          region: common(({ region }) => region),
          provisioner: '',
          nodes: of.length,
        },
      ];
    }),
  );
}

/** Numbers are texts, as in OpenCost's `allNodePricing`. */
function nodePricing(nodes: readonly PricedNode[]): object {
  const named = nodes.map((node) => [`${node.cluster}/${node.name}`, pricingOf(node)] as const);
  return Object.fromEntries(named.toSorted(byName));
}

function pricingOf(node: PricedNode): object {
  return {
    hourlyCost: String(node.usdPerHour),
    CPU: String(node.cpuCores),
    CPUHourlyCost: String(node.cpuCoreHour),
    RAM: String(node.ramGiB),
    RAMGBHourlyCost: String(node.ramGiBHour),
    gpu: String(node.gpus),
    gpuCost: String(node.gpuHour),
    instanceType: node.instanceType,
    region: node.region,
    zone: node.zone,
    providerID: node.providerID,
    usageType: usageOf(node),
    usesDefaultPrice: node.source === 'book',
    pricingType: node.source,
  };
}

/** By region, type and how it is paid, as the keys of price lists are. */
function pricingSummary(nodes: readonly PricedNode[]): object {
  const kinds = groupedBy(nodes, (node) =>
    [node.region, node.instanceType, usageOf(node), node.source].join(','),
  );
  return Object.fromEntries(
    [...kinds].toSorted(byName).map(([key, of]) => {
      const mean = (value: (node: PricedNode) => number): number =>
        of.reduce((sum, node) => sum + value(node), 0) / of.length;
      const [first] = of;
      return [
        key,
        {
          ...(first && { region: first.region, instanceType: first.instanceType }),
          usageType: first && usageOf(first),
          pricingType: first?.source ?? '',
          nodes: of.length,
          hourlyCost: mean(({ usdPerHour }) => usdPerHour),
          CPUHourlyCost: mean(({ cpuCoreHour }) => cpuCoreHour),
          RAMGBHourlyCost: mean(({ ramGiBHour }) => ramGiBHour),
          gpuCost: mean(({ gpuHour }) => gpuHour),
        },
      ];
    }),
  );
}

function pricingCounts(nodes: readonly PricedNode[]): object {
  return { TotalNodes: nodes.length, PricingTypeCounts: pricesBySource(nodes) };
}

/** How many nodes each source of prices prices. */
function pricesBySource(nodes: readonly PricedNode[]): Record<string, number> {
  const sources = groupedBy(nodes, ({ source }) => source);
  return Object.fromEntries(
    [...sources].map(([source, of]) => [source, of.length] as const).toSorted(byName),
  );
}

function usageOf({ isSpot }: PricedNode): string {
  return isSpot ? 'preemptible' : 'ondemand';
}

function groupedBy(
  nodes: readonly PricedNode[],
  key: (node: PricedNode) => string,
): Map<string, PricedNode[]> {
  const groups = new Map<string, PricedNode[]>();
  for (const node of nodes) {
    const of = groups.get(key(node)) ?? [];
    groups.set(key(node), of);
    of.push(node);
  }
  return groups;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

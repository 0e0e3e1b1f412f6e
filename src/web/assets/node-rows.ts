/** Nodes by what they cost and what that is for: used, asked for but not used, idle. */
import { own } from '../costs/own.ts';
import { money, moneyOrZero, percent } from '../format.ts';
import { clusterOf, filterOfAsset, listCost, nameOf, placeOf, type Asset } from './asset.ts';

/** USD; they add up to the cost of the node. */
export interface NodeParts {
  /** What containers used of CPU and RAM, and GPUs that they held: how busy those are is not known. */
  readonly used: number;
  /** What they asked for beyond that. */
  readonly over: number;
  /** What nobody asked for. */
  readonly idle: number;
}

export interface NodeRow {
  readonly name: string;
  readonly cluster: string;
  readonly nodeType: string;
  readonly place: string;
  readonly priceSource: string;
  readonly isSpot: boolean;
  readonly hours: number;
  readonly cost: number;
  readonly adjustment: number;
  /** Undefined: what workloads are charged is not known. */
  readonly parts: NodeParts | undefined;
  /** The filter that means it. */
  readonly filter: string;
}

/** What workloads are charged of a node, as the summary of allocations tells it. */
export interface ChargedOfNode {
  readonly cpuCost: number;
  readonly ramCost: number;
  readonly gpuCost: number;
}

export type ChargedByNode = Readonly<Record<string, ChargedOfNode>>;

/** Sorted by idle money, the most first. @param charged by `cluster/node`; undefined: not known */
export function nodeRows(
  nodes: readonly Asset[],
  charged: ChargedByNode | undefined,
): readonly NodeRow[] {
  const costs = new Map<string, number>();
  for (const node of nodes) costs.set(keyOf(node), (costs.get(keyOf(node)) ?? 0) + node.totalCost);
  const rows = nodes.map((node): NodeRow => {
    const { nodeType = '', priceSource, preemptible, minutes, totalCost, adjustment } = node;
    const parts = charged === undefined ? undefined : partsOf(node, sharedCharge(node, charged, costs));
    return {
      name: nameOf(node),
      cluster: clusterOf(node),
      nodeType,
      place: placeOf(node),
      priceSource: priceSource ?? '',
      isSpot: preemptible === 1,
      hours: minutes / 60,
      cost: totalCost,
      adjustment,
      parts,
      filter: filterOfAsset(node),
    };
  }); // prettier-ignore
  return rows.toSorted((a, b) => weight(b) - weight(a) || (a.name < b.name ? -1 : 1));
}

function weight({ parts, cost }: NodeRow): number {
  return parts?.idle ?? cost;
}

function keyOf(node: Asset): string {
  return `${clusterOf(node)}/${nameOf(node)}`;
}

const NOTHING: ChargedOfNode = { cpuCost: 0, ramCost: 0, gpuCost: 0 };

/** Machines that had one name one after the other share what is charged by it, by what each cost. */
function sharedCharge(
  node: Asset,
  charged: ChargedByNode,
  costs: ReadonlyMap<string, number>,
): ChargedOfNode {
  const { cpuCost, ramCost, gpuCost } = own(charged, keyOf(node)) ?? NOTHING;
  const all = costs.get(keyOf(node)) ?? 0;
  const part = all > 0 ? node.totalCost / all : 1;
  return { cpuCost: cpuCost * part, ramCost: ramCost * part, gpuCost: gpuCost * part };
}

/** Parts of what a node costs, the bill's adjustment in each as in the whole. */
export function partsOf(node: Asset, { cpuCost, ramCost, gpuCost }: ChargedOfNode): NodeParts {
  const cost = Math.max(0, node.totalCost);
  const charged = Math.min(cost, Math.max(0, cpuCost + ramCost + gpuCost));
  const used = usedList(node) * adjusted(node) + gpuCost;
  const inUse = Math.min(charged, Math.max(0, used));
  return { used: inUse, over: charged - inUse, idle: cost - charged };
}

/** What the CPU and RAM that containers used cost at list price. */
function usedList(node: Asset): number {
  const { cpuCost = 0, ramCost = 0, cpuBreakdown, ramBreakdown, gpuCost = 0 } = node;
  const listed = cpuCost + ramCost;
  const kept = listed > 0 ? (listCost(node) - gpuCost) / listed : 1;
  const unused = cpuCost * (cpuBreakdown?.idle ?? 0) + ramCost * (ramBreakdown?.idle ?? 0);
  return (listed - unused) * kept;
}

function adjusted(node: Asset): number {
  const list = listCost(node);
  return list > 0 ? node.totalCost / list : 1;
}

/** What nodes come to together; parts of those alone of which they are known. */
export function sumOfNodes(rows: readonly NodeRow[]): NodeParts & { readonly cost: number } {
  const sum = { used: 0, over: 0, idle: 0, cost: 0 };
  for (const { parts, cost } of rows) {
    sum.cost += cost;
    sum.used += parts?.used ?? 0;
    sum.over += parts?.over ?? 0;
    sum.idle += parts?.idle ?? 0;
  }
  return sum;
}

/** A node in words, for those who do not see its bar. */
export function nodeWords(row: NodeRow): string {
  const { name, cluster, nodeType, cost, parts } = row;
  const what = [name, nodeType, `in ${cluster}`].filter(Boolean).join(', ');
  if (parts === undefined) return `${what}: ${moneyOrZero(cost)}`;
  return `${what}: ${moneyOrZero(cost)}, ${partWords(parts)}`;
}

export function partWords({ used, over, idle }: NodeParts): string {
  const whole = used + over + idle;
  const share = (usd: number): string =>
    whole > 0 ? `${money(usd) || 'nothing'} (${percent(usd / whole)})` : moneyOrZero(usd);
  return `used ${share(used)}, asked for but not used ${share(over)}, idle ${share(idle)}`;
}

/** Without the domain, which all nodes of a cluster mostly share. */
export function shortNode(name: string): string {
  return /^[^.]+(?=\.[a-z])/.exec(name)?.[0] ?? name;
}

export interface BarPart {
  readonly is: keyof NodeParts;
  /** Offset and length as parts of the room, 0 to 1. */
  readonly from: number;
  readonly length: number;
}

/** Where parts lie in a bar, whose whole length is the cost of the largest node. */
export function barOf({ parts, cost }: NodeRow, largest: number): readonly BarPart[] {
  if (!(largest > 0)) return [];
  if (parts === undefined) return [{ is: 'used', from: 0, length: Math.max(0, cost) / largest }];
  let from = 0;
  return (['used', 'over', 'idle'] as const).map((is) => {
    const length = parts[is] / largest;
    const part = { is, from, length };
    from += length;
    return part;
  });
}

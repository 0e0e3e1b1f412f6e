/** The node types that a cluster may choose from: those of its provider and region. */
import type { Architecture, NodeType } from '../pricing/index.ts';
import type { CurrentNode } from './current-nodes.ts';
import type { SizingPlan } from './params.ts';

export interface Offer {
  readonly types: readonly NodeType[];
  /** Why there are no types, or fewer than the price list has. */
  readonly warnings: readonly string[];
}

type Accepted = Pick<SizingPlan, 'allowSharedCore' | 'architecture'>;

/** @param armProvider the only cloud for which ARM is recommended */
export function offerFor(
  prices: readonly NodeType[],
  nodes: readonly CurrentNode[],
  accepted: Accepted,
  armProvider: string,
): Offer {
  const place = placeOf(nodes);
  if (typeof place === 'string') return { types: [], warnings: [place] };
  if (accepted.architecture === 'ARM' && !isSame(place.provider, armProvider)) {
    return { types: [], warnings: [`ARM is recommended for clusters of ${armProvider} alone`] };
  }
  const { provider, region } = place;
  const here = prices.filter((type) => isOf(type.provider, provider) && isOf(type.region, region));
  if (here.length === 0) {
    const what = [provider, region].filter((text) => text !== '').join(' ');
    return {
      types: [],
      warnings: [`no prices are known of node types of ${what}: --node-types gives them`],
    };
  }
  const architectures =
    accepted.architecture === '' ? architecturesOf(nodes, here) : [accepted.architecture];
  const types = here.filter(
    ({ isSharedCore, architecture }) =>
      architectures.includes(architecture) && (accepted.allowSharedCore || !isSharedCore),
  );
  if (types.length > 0) return { types, warnings: [] };
  const shared = accepted.allowSharedCore ? '' : ' without shared cores (allowSharedCore=false)';
  const kinds = `${architectures.join(' and ')}${shared}`;
  return { types, warnings: [`none of the ${here.length} node types here is ${kinds}`] };
}

/** A type without provider or region is offered everywhere. */
function isOf(offered: string, wanted: string): boolean {
  return offered === '' || isSame(offered, wanted);
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** The provider and region of all nodes; undefined where they have none in common. */
export function commonPlace(
  nodes: readonly CurrentNode[],
): Pick<CurrentNode, 'provider' | 'region'> | undefined {
  const place = placeOf(nodes);
  return typeof place === 'string' ? undefined : place;
}

/** The place of all nodes, or a warning where they have none in common. */
function placeOf(nodes: readonly CurrentNode[]): Pick<CurrentNode, 'provider' | 'region'> | string {
  const distinct = (of: (node: CurrentNode) => string): string[] =>
    [...new Set(nodes.map(of))].filter((text) => text !== '').sort();
  const providers = distinct((node) => node.provider);
  const regions = distinct((node) => node.region);
  const [several, which] = providers.length > 1 ? ['providers', providers] : ['regions', regions];
  if (which.length > 1) return `its nodes are of several ${several}: ${which.join(', ')}`;
  const [[provider = ''], [region = '']] = [providers, regions];
  if (provider === '' && region === '') {
    return 'neither the provider nor the region of its nodes is known';
  }
  return { provider, region };
}

/** Images that run on the current nodes may not run on another architecture. */
function architecturesOf(
  nodes: readonly CurrentNode[],
  types: readonly NodeType[],
): Architecture[] {
  const known = nodes.map((node) => architectureOf(node, types)).filter((one) => one !== '');
  return known.length > 0 ? [...new Set(known)] : ['x86'];
}

/** By the node's label, else by its type. */
export function architectureOf(
  { arch, type }: CurrentNode,
  types: readonly NodeType[],
): Architecture | '' {
  if (arch !== '') return /^(arm|aarch)/.test(arch) ? 'ARM' : 'x86';
  return types.find(({ name }) => isSame(name, type))?.architecture ?? '';
}

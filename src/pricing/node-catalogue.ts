/** Finds a node's type in a catalogue. */
import { providerOfId } from './node-place.ts';
import type { NodeType } from './node-types.ts';

/** Labels of a node that identify its type; '' where one is missing. */
export interface NodeKind {
  /** Instance type, as the provider names it. */
  readonly type: string;
  readonly region: string;
  /** Such as `aws:///us-east-1a/i-0abc`. */
  readonly providerId: string;
}

export interface NodeCatalogue {
  /** Undefined where no type fits, or several do. */
  find(node: NodeKind): NodeType | undefined;
}

/** What prices a node beside its price series and the book. */
export interface NodePriceSources {
  /** The operator's own prices. */
  readonly file: NodeCatalogue | undefined;
  /** Whether the list prices that come with the program count. */
  readonly isListOn: boolean;
}

/** Names are compared in lower case: Azure's own tools do not agree on theirs. */
export function createCatalogue(types: readonly NodeType[]): NodeCatalogue {
  const byName = new Map<string, NodeType[]>();
  for (const type of types) {
    const name = type.name.toLowerCase();
    const named = byName.get(name) ?? [];
    byName.set(name, named);
    named.push(type);
  }
  return {
    find({ type, region, providerId }) {
      const provider = providerOfId(providerId);
      const ours = (byName.get(type.toLowerCase()) ?? []).filter(
        (one) => provider === '' || one.provider === '' || isSame(one.provider, provider),
      );
      const here = region === '' ? [] : ours.filter((one) => isSame(one.region, region));
      const anywhere = ours.filter((one) => one.region === '');
      return only(here) ?? only(anywhere) ?? (region === '' ? only(ours) : undefined);
    },
  };
}

function isSame(some: string, other: string): boolean {
  return some.toLowerCase() === other.toLowerCase();
}

function only(types: readonly NodeType[]): NodeType | undefined {
  return types.length === 1 ? types[0] : undefined;
}

/** What ends a pod besides its own status: the next pod of its name, and the end of its node. */
import type { Inventory, NodeFacts, Pod } from '../inventory/inventory.ts';
import { machineLife } from './machine.ts';
import type { End } from '../inventory/pod-status.ts';
import type { LifeLimits } from '../inventory/presence.ts';
import type { EndSource } from '../row/schema.ts';

type OuterEnd = End<EndSource>;

interface NodeEnd {
  readonly end: OuterEnd | undefined;
}

const NO_END: NodeEnd = { end: undefined };

/**
 * The start that is told; NaN without one. It is by its node's clock: where that is ahead, the pod has
 * started by the time at which its start is first told.
 */
export function startMsOf({ startSeconds }: Pod): number {
  return Math.min(startSeconds.smallest() * 1000, startSeconds.firstMs);
}

/** Its start, or its first sample where no start is told. */
export function bornMs(pod: Pod): number {
  const startMs = startMsOf(pod);
  return startMs === startMs ? startMs : pod.presence.firstMs;
}

export class PodEnds {
  readonly #inventory: Inventory;
  readonly #limits: Omit<LifeLimits, 'intervalMs'>;
  readonly #nodeEnds: Map<NodeFacts, NodeEnd> = new Map();

  /** @param limits of what has no start */
  constructor(inventory: Inventory, limits: Omit<LifeLimits, 'intervalMs'>) {
    this.#inventory = inventory;
    this.#limits = limits;
  }

  /** @param next of the same name */
  of(cluster: string, pod: Pod, next: Pod | undefined): OuterEnd | undefined {
    const replaced = next && this.#replacedBy(cluster, pod, next);
    const { end } = this.#nodeEndOf(this.#inventory.machineUnder(cluster, pod));
    return replaced && end ? (end.endMs < replaced.endMs ? end : replaced) : (replaced ?? end);
  }

  /**
   * Both were there where the first is still seen, as are pods of two clusters without a name. On one machine
   * they cannot be of two clusters: an exporter shows the first after it was deleted.
   */
  #replacedBy(cluster: string, pod: Pod, next: Pod): OuterEnd | undefined {
    const endMs = bornMs(next);
    const isSeenBeside = pod.presence.lastMs > endMs + this.#inventory.typicalIntervalMs(cluster);
    const wereBoth = isSeenBeside && !this.#areOnOneMachine(cluster, pod, next);
    return wereBoth ? undefined : { endMs, uncertaintyMs: 0, source: 'nextPod' };
  }

  #areOnOneMachine(cluster: string, pod: Pod, next: Pod): boolean {
    const machine = this.#inventory.machineUnder(cluster, next);
    const isKnown = machine !== undefined && (machine.systemUuid || machine.providerId) !== '';
    const isOne = isKnown && this.#inventory.machineUnder(cluster, pod) === machine;
    return isOne && pod.uid !== '' && next.uid !== '';
  }

  #nodeEndOf(node: NodeFacts | undefined): NodeEnd {
    const known = node && this.#nodeEnds.get(node);
    if (known) return known;
    const found = node ? this.#findNodeEnd(node) : NO_END;
    if (node) this.#nodeEnds.set(node, found);
    return found;
  }

  /** A pod's object may stay for hours after its node is gone. */
  #findNodeEnd(node: NodeFacts): NodeEnd {
    const intervalMs = this.#inventory.typicalIntervalMs(node.cluster);
    const life = machineLife(node, { ...this.#limits, intervalMs });
    const endMs = life?.stretches.at(-1)?.endMs ?? Infinity;
    // Another exporter may still tell of it.
    if (!life || life.endSource === 'running' || node.lastMs > endMs) return NO_END;
    return { end: { endMs, uncertaintyMs: life.endUncertaintyMs, source: 'nodeEnd' } };
  }
}

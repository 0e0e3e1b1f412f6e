/** A workload as its manifest specifies it. */

/** Amounts of the priced resources. */
export interface Amounts {
  readonly cpuCores: number;
  readonly ramBytes: number;
  readonly gpus: number;
}

export interface Container {
  readonly name: string;
  /** Requests; 0: none. */
  readonly requests: Amounts;
}

export interface Workload {
  readonly namespace: string;
  /** In lower case: `deployment`, `statefulset` or `pod`. */
  readonly kind: string;
  readonly name: string;
  readonly replicas: number;
  readonly containers: readonly Container[];
}

export const NO_AMOUNTS: Amounts = { cpuCores: 0, ramBytes: 0, gpus: 0 };

/** Computes the amount of each resource. */
export function amountsOf(amount: (resource: keyof Amounts) => number): Amounts {
  return { cpuCores: amount('cpuCores'), ramBytes: amount('ramBytes'), gpus: amount('gpus') };
}

/** The price book: what a node's resources cost where the store has no price for them. */

export interface PriceBook {
  readonly cpuCoreHour: number;
  readonly ramGiBHour: number;
  readonly gpuHour: number;
  readonly spotCpuCoreHour: number;
  readonly spotRamGiBHour: number;
  readonly storageGiBHour: number;
  readonly zoneEgressGiB: number;
  readonly regionEgressGiB: number;
  readonly internetEgressGiB: number;
  /** USD an hour for each cluster. */
  readonly clusterManagementHour: number;
  /** For list prices in EUR; 0: none of them counts. */
  readonly usdPerEuro: number;
  /** Discounts in [0, 1] on CPU and RAM of nodes that are not spot, applied one after the other. */
  readonly discount: number;
  readonly negotiatedDiscount: number;
}

export const BYTES_PER_GIB: number = 2 ** 30;

/** The price book: what a node's resources cost where the store has no price for them. */

export interface PriceBook {
  readonly cpuCoreHour: number;
  readonly ramGiBHour: number;
  readonly gpuHour: number;
  readonly spotCpuCoreHour: number;
  readonly spotRamGiBHour: number;
}

/** The default book of OpenCost (configs/default.json). US dollars. */
export const DEFAULT_PRICE_BOOK: PriceBook = {
  cpuCoreHour: 0.031611,
  ramGiBHour: 0.004237,
  gpuHour: 0.95,
  spotCpuCoreHour: 0.006655,
  spotRamGiBHour: 0.000892,
};

export const BYTES_PER_GIB: number = 2 ** 30;

/** The configuration as clients of Kubecost read it: prices are texts, in USD. */
import type { PriceBook } from '../pricing/index.ts';

/** What is told of the installation. */
export interface Installation {
  readonly version: string;
  /** The cluster that the server stands for. */
  readonly clusterId: string;
  readonly timezone: string;
  readonly book: PriceBook;
  /** Sources of prices that are switched on, by name. */
  readonly sources: Readonly<Record<string, boolean>>;
}

/** `getConfigs`, as OpenCost's CustomPricing (pkg/cloud/models). */
export function configsOf({ book, clusterId }: Installation): object {
  const percent = (part: number): string => `${100 * part}%`;
  return {
    provider: 'custom',
    description: 'the price book: what counts where neither series, file nor list tells a price',
    CPU: String(book.cpuCoreHour),
    spotCPU: String(book.spotCpuCoreHour),
    RAM: String(book.ramGiBHour),
    spotRAM: String(book.spotRamGiBHour),
    GPU: String(book.gpuHour),
    storage: String(book.storageGiBHour),
    zoneNetworkEgress: String(book.zoneEgressGiB),
    regionNetworkEgress: String(book.regionEgressGiB),
    internetNetworkEgress: String(book.internetEgressGiB),
    customPricesEnabled: 'false',
    defaultIdle: 'true',
    shareTenancyCosts: 'true',
    currencyCode: 'USD',
    discount: percent(book.discount),
    negotiatedDiscount: percent(book.negotiatedDiscount),
    sharedOverhead: '0',
    clusterName: clusterId,
    readOnly: 'true',
  };
}

export function productConfigsOf({ timezone, clusterId, version }: Installation): object {
  return { currencyCode: 'USD', timezone, clusterId, clusterName: clusterId, version };
}

/** `clusterInfo`: what a client tells its own cluster by. */
export function clusterInfoOf({ clusterId, version }: Installation): object {
  return { id: clusterId, name: clusterId, profile: '', provisioner: '', version };
}

/** Nodes of the newest stored assets, each with what its cores, memory and GPUs cost an hour. */
import { assetList } from '../assets/asset-list.ts';
import type { Table } from '../columnar/index.ts';
import type { PriceSource } from '../pricing/index.ts';
import { BYTES_PER_GIB } from '../pricing/index.ts';
import { HOUR_MS } from '../query/index.ts';

export interface PricedNode {
  readonly cluster: string;
  readonly name: string;
  readonly provider: string;
  readonly providerID: string;
  readonly account: string;
  readonly project: string;
  readonly instanceType: string;
  readonly region: string;
  readonly zone: string;
  readonly pool: string;
  readonly isSpot: boolean;
  readonly source: PriceSource | '';
  readonly cpuCores: number;
  readonly ramGiB: number;
  readonly gpus: number;
  /** USD an hour, after discounts, before adjustments by a bill. */
  readonly usdPerHour: number;
  /** USD an hour of a core, a GiB and a GPU; 0 where the node has none. */
  readonly cpuCoreHour: number;
  readonly ramGiBHour: number;
  readonly gpuHour: number;
}

/** @param tables of one set, or of several that follow each other */
export function pricedNodes(tables: readonly Table[]): PricedNode[] {
  return assetList(tables, null)
    .filter(({ texts }) => texts.type === 'Node')
    .map(({ texts, sums, startMs, endMs, preemptible }) => {
      const hours = (endMs - startMs) / HOUR_MS;
      const per = (amount: number, by: number): number => (by > 0 ? amount / by : 0);
      const ramGiBHours = sums.ramByteHours / BYTES_PER_GIB;
      return {
        cluster: texts.cluster,
        name: texts.name,
        provider: texts.provider,
        providerID: texts.providerID,
        account: texts.account,
        project: texts.project,
        instanceType: texts.nodeType,
        region: texts.region,
        zone: texts.zone,
        pool: texts.pool,
        isSpot: preemptible.value >= 0.5,
        source: texts.priceSource as PriceSource | '',
        cpuCores: per(sums.cpuCoreHours, hours),
        ramGiB: per(ramGiBHours, hours),
        gpus: per(sums.gpuHours, hours),
        usdPerHour: per(sums.cost, hours),
        cpuCoreHour: per(sums.cpuCost, sums.cpuCoreHours),
        ramGiBHour: per(sums.ramCost, ramGiBHours),
        gpuHour: per(sums.gpuCost, sums.gpuHours),
      };
    });
}
